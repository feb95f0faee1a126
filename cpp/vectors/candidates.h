// What a code scan or a sieve keeps: the rows whose cosine may be among the k best.
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
  float upper;  // its cosine is hardly above this
};

// Of one query. `lower` is a number that a row's cosine is hardly below: once k rows have a better
// one than another row's `upper`, that row is out. So it is when k rows have been looked at and
// both their cosines and their `upper` are better: whoever looks at rows in the order of `upper`,
// until k cosines are better than the next one's, looks at those k before, and stops.
class Candidates {
 public:
  // cosines[i] = that of rows[i].
  using Score = FunctionRef<void(std::span<const Candidate> rows, float* cosines)>;

  explicit Candidates(std::size_t k) : lowers_(k), known_(k) { rows_.reserve(kFirstBuffer); }

  float floor() const { return std::max({lowers_.floor(), known_.floor(), others_}); }

  // Takes over the floor of others, whose rows this will be merged with.
  void raise(float floor) { others_ = std::max(others_, floor); }

  void offer(Row row, float upper, float lower) {
    if (upper < floor()) return;
    if (lower > known_.floor()) lowers_.offer(lower);
    rows_.push_back({row, upper});
    if (rows_.size() >= most_) prune();
  }

  // Rows of which nothing is known but `upper`: they are fresh until the next look.
  void offer(std::span<const Candidate> rows) {
    fresh_.insert(fresh_.end(), rows.begin(), rows.end());
  }
  std::size_t fresh() const { return fresh_.size(); }

  // Looks at about n of the fresh rows that look best, or more, which tells what others are worth.
  void look(std::size_t n, Score score);

  // How many rows there are, hopeless ones among them.
  std::size_t size() const { return rows_.size() + fresh_.size(); }
  // The same without those that are known to be out.
  std::size_t hopeful_size() {
    settle();
    prune();
    return rows_.size();
  }

  // There are too many: all are forgotten, and none is taken any more.
  void give_up() {
    is_given_up_ = true;
    others_ = std::numeric_limits<float>::infinity();
    rows_ = {};
    fresh_ = {};
  }
  bool is_given_up() const { return is_given_up_; }

  // A row that must be looked at.
  void demand(Row row) { rows_.push_back({row, std::numeric_limits<float>::infinity()}); }

  void merge(Candidates&& other);

  // Those that are still in. Which of them are looked at, in the order of `upper`, depends on what
  // was offered: not on its order, nor on what was looked at when.
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
  KthLargest known_;
  float others_ = -std::numeric_limits<float>::infinity();
  bool is_given_up_ = false;
  std::size_t most_ = kLeastBuffer;
  std::vector<Candidate> rows_;
  std::vector<Candidate> fresh_;
};

}  // namespace knarr
