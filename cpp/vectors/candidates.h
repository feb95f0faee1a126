// What a code scan keeps: the rows whose cosine may be among the k best.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "base/types.h"

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
  float upper;  // a bound that its cosine hardly exceeds
};

// The candidates of one query.
//
// A floor rises as rows are seen: a number that k rows reach. A row is dropped when its `upper` is
// below the floor. Two things raise the floor: `lower`, a bound that a row's cosine is hardly
// below; and true cosines, where rows are looked at early.
//
// Invariant: let T be the k-th largest of min(cosine, upper) over all rows. No floor made of
// cosines exceeds T, so every row whose `upper` reaches T stays, whoever looked at what and when. A
// rerank in the order of `upper` stops at T and scores exactly those rows (see rerank.h): what else
// is still here by chance of timing changes nothing.
class Candidates {
 public:
  // cosines[i] = the cosine of rows[i].
  using Score = FunctionRef<void(std::span<const Candidate> rows, float* cosines)>;

  explicit Candidates(std::size_t k) : lowers_(k), known_(k) { rows_.reserve(kFirstBuffer); }

  float floor() const { return std::max({lowers_.floor(), known_.floor(), others_}); }

  // Takes over the floor of other workers, whose rows this will be merged with.
  void raise(float floor) { others_ = std::max(others_, floor); }

  void offer(Row row, float upper, float lower) {
    if (upper < floor()) return;
    if (lower > known_.floor()) lowers_.offer(lower);
    rows_.push_back({row, upper});
    if (rows_.size() >= most_) prune();
  }

  // Adds rows with an upper bound only: they are fresh until the next look.
  void offer(std::span<const Candidate> rows) {
    fresh_.insert(fresh_.end(), rows.begin(), rows.end());
  }
  std::size_t fresh() const { return fresh_.size(); }

  // Scores about n of the most promising fresh rows, up to twice as many, which raises the floor.
  void look(std::size_t n, Score score);

  // How many rows are kept, hopeless ones among them.
  std::size_t size() const { return rows_.size() + fresh_.size(); }
  // How many rows are kept once those below the floor are dropped.
  std::size_t hopeful_size() {
    settle();
    prune();
    return rows_.size();
  }

  // Drops everything: the query is answered in another way.
  void give_up() {
    is_given_up_ = true;
    others_ = std::numeric_limits<float>::infinity();
    rows_ = {};
    fresh_ = {};
  }
  bool is_given_up() const { return is_given_up_; }

  // Adds a row that must be looked at.
  void demand(Row row) { rows_.push_back({row, std::numeric_limits<float>::infinity()}); }

  void merge(Candidates&& other);

  // The rows that are left: all that reach T, and perhaps others.
  std::vector<Candidate> take() {
    settle();
    prune();
    return std::move(rows_);
  }

 private:
  static constexpr std::size_t kFirstBuffer = 256;
  static constexpr std::size_t kLeastBuffer = 2048;

  void settle();
  void prune();
  float exact_floor() { return std::max({lowers_.value(), known_.value(), others_}); }

  KthLargest lowers_;
  KthLargest known_;  // true cosines, or upper bounds below them
  float others_ = -std::numeric_limits<float>::infinity();
  bool is_given_up_ = false;
  std::size_t most_ = kLeastBuffer;  // rows that are kept without pruning again
  std::vector<Candidate> rows_;
  std::vector<Candidate> fresh_;
};

}  // namespace knarr
