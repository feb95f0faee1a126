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
// one than another row's `upper`, that row is out.
class Candidates {
 public:
  explicit Candidates(std::size_t k) : lowers_(k) { rows_.reserve(kFirstBuffer); }

  float floor() const { return lowers_.floor(); }

  void offer(Row row, float upper, float lower) {
    if (upper < lowers_.floor()) return;
    lowers_.offer(lower);
    rows_.push_back({row, upper});
    if (rows_.size() >= most_) prune();
  }

  // A row that must be looked at.
  void demand(Row row) { rows_.push_back({row, std::numeric_limits<float>::infinity()}); }

  void merge(Candidates&& other) {
    lowers_.merge(other.lowers_);
    rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
    other.rows_.clear();
  }

  // Those that are still in. What they are depends on what was offered, not on the order.
  std::vector<Candidate> take() {
    prune();
    return std::move(rows_);
  }

 private:
  static constexpr std::size_t kFirstBuffer = 256;
  static constexpr std::size_t kLeastBuffer = 2048;

  // Drops those that are out, as often as pays.
  void prune() {
    const float floor = lowers_.value();
    std::erase_if(rows_, [floor](const Candidate& each) { return each.upper < floor; });
    most_ = std::max(kLeastBuffer, 2 * rows_.size());
  }

  KthLargest lowers_;
  std::size_t most_ = kLeastBuffer;
  std::vector<Candidate> rows_;
};

}  // namespace knarr
