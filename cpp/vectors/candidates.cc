// Whether a row stays cannot be predicted by the machine, so loops over rows store first and then
// count: a branch for each row would cost several times as much.
#include "vectors/candidates.h"

#include <bit>

namespace knarr {
namespace {

constexpr std::size_t kMostForEach = 2;  // rows looked at for each that is wanted, at most

// A number that n rows reach, and few more: the rows are dealt into groups, and it is the n-th
// largest of the groups' best. Requires n <= groups <= rows.size().
float threshold(std::span<const Candidate> rows, std::size_t groups, std::size_t n) {
  std::vector<float> best(groups);
  for (std::size_t g = 0; g < groups; ++g) best[g] = rows[g].upper;
  std::size_t at = groups;
  for (; at + groups <= rows.size(); at += groups) {
    for (std::size_t g = 0; g < groups; ++g) best[g] = std::max(best[g], rows[at + g].upper);
  }
  for (; at < rows.size(); ++at) best[at % groups] = std::max(best[at % groups], rows[at].upper);
  const auto nth = best.begin() + static_cast<std::ptrdiff_t>(n) - 1;
  std::nth_element(best.begin(), nth, best.end(), std::greater<>());
  return *nth;
}

// Copies the rows that reach `floor` to `out`, which may be where they are. Returns how many.
std::size_t copy_above(std::span<const Candidate> rows, float floor, Candidate* out) {
  std::size_t n = 0;
  for (const Candidate& row : rows) {
    out[n] = row;
    n += row.upper < floor ? 0 : 1;
  }
  return n;
}

}  // namespace

void Candidates::look(std::size_t n, Score score) {
  const std::size_t groups = std::bit_ceil(kMostForEach * n);
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  const float least = groups < fresh_.size() ? threshold(fresh_, groups, n) : kNone;
  std::vector<Candidate> best;
  best.reserve(kMostForEach * n);
  for (const Candidate& row : fresh_) {
    if (row.upper >= least && best.size() < kMostForEach * n) best.push_back(row);
  }
  std::vector<float> cosines(best.size());
  score(best, cosines.data());
  for (std::size_t i = 0; i < best.size(); ++i) known_.offer(std::min(cosines[i], best[i].upper));
  settle();
}

void Candidates::merge(Candidates&& other) {
  if (other.is_given_up_) give_up();
  if (is_given_up_) return;
  other.settle();
  lowers_.merge(other.lowers_);
  known_.merge(other.known_);
  rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
  other.rows_.clear();
}

// Moves the fresh rows that reach the floor to the others.
void Candidates::settle() {
  const std::size_t before = rows_.size();
  rows_.resize(before + fresh_.size());
  rows_.resize(before + copy_above(fresh_, exact_floor(), rows_.data() + before));
  fresh_.clear();
  if (rows_.size() >= most_) prune();
}

// Drops the rows below the floor, and not again before their number has doubled.
void Candidates::prune() {
  rows_.resize(copy_above(rows_, exact_floor(), rows_.data()));
  most_ = std::max(kLeastBuffer, 2 * rows_.size());
}

}  // namespace knarr
