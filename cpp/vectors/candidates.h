// What a code scan keeps: the rows whose cosine may be among the k best.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "engine/types.h"

namespace knarr {

// The k-th largest of a stream of numbers. It depends on the numbers only, not on their order.
class KthLargest {
 public:
  explicit KthLargest(std::size_t k) : k_(k) {}

  // At most the k-th largest so far, and soon near it; minus infinity before there are k.
  float floor() const { return floor_; }

  void offer(float value) {
    if (!(value > floor_)) return;
    kept_.push_back(value);
    if (kept_.size() >= k_ + std::max(k_, kLeastBuffer)) cut();
  }

  void merge(const KthLargest& other) {
    for (const float value : other.kept_) offer(value);
  }

  // The k-th largest so far; minus infinity when there are fewer.
  float value() {
    if (kept_.size() >= k_) cut();
    return floor_;
  }

 private:
  static constexpr std::size_t kLeastBuffer = 32;

  void cut() {
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
    std::nth_element(kept_.begin(), last, kept_.end(), std::greater<>());
    floor_ = *last;
    kept_.resize(k_);
  }

  std::size_t k_;
  float floor_ = -std::numeric_limits<float>::infinity();
  std::vector<float> kept_;
};

struct Candidate {
  Row row;
  float upper;  // its cosine is hardly above this
};

// Of one query. `lower` is a number that a row's cosine is hardly below: once k rows have a better
// one than another row's `upper`, that row is out. So it is when k rows have been looked at and
// both their cosines and their `upper` are better: whoever looks at rows in the order of `upper`,
// until k cosines are better than the next one's, looks at those k before, and stops.
class Candidates {
 public:
  explicit Candidates(std::size_t k) : lowers_(k), known_(k) { rows_.reserve(kFirstBuffer); }

  float floor() const { return std::max(lowers_.floor(), known_.floor()); }

  void offer(Row row, float upper, float lower) {
    if (upper < floor()) return;
    if (lower > known_.floor()) lowers_.offer(lower);
    rows_.push_back({row, upper});
    if (rows_.size() >= most_) prune();
  }

  // At most n rows that look best and were not shown before, to be looked at: each is made known.
  std::vector<Candidate> promising(std::size_t n) {
    prune();
    std::vector<Candidate> best(std::min(n, rows_.size()));
    std::partial_sort_copy(
        rows_.begin(), rows_.end(), best.begin(), best.end(),
        [](const Candidate& a, const Candidate& b) { return a.upper > b.upper; });
    std::erase_if(best, [this](const Candidate& each) {
      return std::binary_search(shown_.begin(), shown_.end(), each.row);
    });
    for (const Candidate& each : best) shown_.push_back(each.row);
    std::sort(shown_.begin(), shown_.end());
    return best;
  }

  // A row that was looked at, once for each row.
  void know(const Candidate& row, float cosine) { known_.offer(std::min(cosine, row.upper)); }

  // A row that must be looked at.
  void demand(Row row) { rows_.push_back({row, std::numeric_limits<float>::infinity()}); }

  void merge(Candidates&& other) {
    lowers_.merge(other.lowers_);
    known_.merge(other.known_);
    rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
    other.rows_.clear();
  }

  // Those that are still in. Which of them are looked at, in the order of `upper`, depends on what
  // was offered: not on its order, nor on what was known when.
  std::vector<Candidate> take() {
    prune();
    return std::move(rows_);
  }

 private:
  static constexpr std::size_t kFirstBuffer = 256;
  static constexpr std::size_t kLeastBuffer = 2048;

  // Drops those that are out, as often as pays.
  void prune() {
    const float floor = std::max(lowers_.value(), known_.value());
    std::erase_if(rows_, [floor](const Candidate& each) { return each.upper < floor; });
    most_ = std::max(kLeastBuffer, 2 * rows_.size());
  }

  KthLargest lowers_;
  KthLargest known_;
  std::vector<Row> shown_;
  std::size_t most_ = kLeastBuffer;
  std::vector<Candidate> rows_;
};

}  // namespace knarr
