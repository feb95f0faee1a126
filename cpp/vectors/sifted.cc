// In short: a row's cosine is known up to its slack. The k-th best of what rows have at worst tells
// which others are out; rows that have as much at worst are at least k, and are scored first; the
// k-th of their scores tells which of the others are scored too. That is within a few rows of what
// any order of scoring must look at.
#include "vectors/sifted.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>

#include "vectors/score.h"

namespace knarr {
namespace {

constexpr std::size_t kParts = 32;  // of the first rows: the best of each part counts
constexpr std::size_t kWord = 64;   // rows that are told apart together

// The k-th largest of as many numbers as a few registers hold, without a branch. Requires
// k <= kParts.
float kth_of_parts(const std::array<float, kParts>& numbers, std::size_t k) {
  std::array<std::uint32_t, kParts> above{};  // how many are larger
  for (const float each : numbers) {
    for (std::size_t i = 0; i < kParts; ++i) above[i] += each > numbers[i] ? 1 : 0;
  }
  float kth = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < kParts; ++i) {
    if (above[i] < k) kth = std::min(kth, numbers[i]);
  }
  return kth;
}

// A number that k rows are not below: the k-th largest of the best of each part, which is each
// kParts-th row. Minus infinity where that tells nothing.
float first_least(const float* cosines, const float* slacks, std::size_t n, std::size_t k) {
  std::array<float, kParts> best;
  best.fill(-std::numeric_limits<float>::infinity());
  if (n < kParts || k > kParts) return best[0];
  for (std::size_t at = 0; at + kParts <= n; at += kParts) {
    for (std::size_t i = 0; i < kParts; ++i) {
      best[i] = std::max(best[i], cosines[at + i] - slacks[at + i]);
    }
  }
  return kth_of_parts(best, k);
}

// Bit i: whether row i is within the bound, of kWord rows or fewer.
std::uint64_t within(const QuantisedBound& bound, const float* cosines, const float* slacks,
                     std::size_t n) {
  std::array<std::uint8_t, kWord> each{};
  if (n >= kWord) {
    for (std::size_t i = 0; i < kWord; ++i) each[i] = bound.is_within(cosines[i], slacks[i]);
  } else {
    for (std::size_t i = 0; i < n; ++i) each[i] = bound.is_within(cosines[i], slacks[i]);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kWord; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, each.data() + i, sizeof(eight));
    bits |= (eight * 0x0102'0408'1020'4080u >> 56) << i;  // the lowest bit of each byte
  }
  return bits;
}

float kth_largest(std::vector<float>& numbers, std::size_t k) {
  const auto kth = numbers.begin() + static_cast<std::ptrdiff_t>(k) - 1;
  std::nth_element(numbers.begin(), kth, numbers.end(), std::greater<>());
  return *kth;
}

}  // namespace

void Sifted::add(const Row* rows, const float* cosines, const float* slacks, std::size_t n) {
  if (least_ == kNone) raise(first_least(cosines, slacks, n, k_));
  for (std::size_t at = 0; at < n; at += kWord) {
    std::uint64_t bits = within(bound_, cosines + at, slacks + at, n - at);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(bits));
      kept_.push_back({rows[i], cosines[i], slacks[i]});
    }
  }
  if (kept_.size() > most_) prune();
}

void Sifted::merge(const Sifted& other) {
  raise(other.least_);
  kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.end());
}

void Sifted::raise(float least) {
  if (!(least > least_)) return;
  least_ = least;
  bound_ = query_->bound(query_->worst(least));
}

void Sifted::prune() {
  if (kept_.size() > k_) {
    std::vector<float> worst(kept_.size());
    std::transform(kept_.begin(), kept_.end(), worst.begin(), std::mem_fn(&Kept::worst));
    raise(kth_largest(worst, k_));
  }
  std::erase_if(kept_,
                [this](const Kept& each) { return !bound_.is_within(each.cosine, each.slack); });
  most_ = std::max(kLeastKept, 2 * kept_.size());
}

Reranked Sifted::settle(const VectorView& view, const float* query, const RowLess& before,
                        const ScoreKernel& kernel) {
  if (least_ == kNone || kept_.size() > kLeastKept) prune();
  Reranked out;
  TopK best(k_, before);
  std::vector<float> scores(kept_.size());
  const auto score = [&](std::size_t begin, std::size_t end) {
    score_each(view, std::span(kept_).subspan(begin, end - begin), query, kernel,
               scores.data() + begin);
    out.scored += end - begin;
  };
  const auto size = [&](auto end) { return static_cast<std::size_t>(end - kept_.begin()); };
  const auto first = std::partition(kept_.begin(), kept_.end(),
                                    [this](const Kept& each) { return each.worst() >= least_; });
  score(0, size(first));
  auto end = first;
  float kth = kNone;
  if (size(first) >= k_) {
    std::vector<float> known(scores.begin(), scores.begin() + (first - kept_.begin()));
    kth = kth_largest(known, k_);
    const QuantisedBound bound = query_->bound(kth);
    end = std::partition(first, kept_.end(), [&](const Kept& each) {
      return bound.is_within(each.cosine, each.slack);
    });
    score(size(first), size(end));
  }
  for (std::size_t i = 0; i < size(end); ++i) {
    if (scores[i] >= kth) best.offer(kept_[i].row, scores[i]);
  }
  out.rows = best.take();
  out.is_done = true;
  return out;
}

}  // namespace knarr
