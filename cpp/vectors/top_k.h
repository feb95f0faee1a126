// TopK: the k best of a stream of scored rows.
//
// Order: higher score first, equal scores by `before`; it is total, so the result does not depend
// on the order of the stream. Candidates pass a threshold test, then collect in a buffer of up to
// 2k; a full buffer is cut to its best k by selection, which moves the threshold. Work per
// candidate is thus constant for any k, where the work of a heap grows with log k. Memory is 8
// bytes for each candidate held, never more than were offered.
//
// A NaN score is never taken. Threads: one object, one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "base/types.h"

namespace knarr {

// before(a, b): whether row a comes before row b, for distinct rows of equal score. Must be a
// strict total order (URIs are), and safe to call from several threads at once.
using RowLess = FunctionRef<bool(Row, Row)>;

class TopK {
 public:
  // Requires k >= 1. `before` must outlive this.
  TopK(std::size_t k, const RowLess& before) : k_(k), before_(&before) {}

  // The least score that may still enter.
  float threshold() const { return threshold_; }

  void offer(Row row, float score) {
    if (score >= threshold_) consider({row, score});
  }

  // scores[i] belongs to rows[i].
  void offer(std::span<const Row> rows, const float* scores) {
    for (std::size_t i = 0; i < rows.size(); ++i) offer(rows[i], scores[i]);
  }

  // Adds what another one kept, and leaves it empty.
  void merge(TopK&& other) {
    for (const ScoredRow& candidate : other.kept_) offer(candidate.row, candidate.score);
    other.kept_.clear();
  }

  // The best k, in order. Leaves this empty.
  std::vector<ScoredRow> take() {
    if (kept_.size() > k_) cut();
    std::sort(kept_.begin(), kept_.end(), better());
    return std::move(kept_);
  }

 private:
  static constexpr std::size_t kLeastBuffer = 64;  // small k: cut less often

  struct Better {
    const RowLess* before;
    bool operator()(const ScoredRow& a, const ScoredRow& b) const {
      return a.score != b.score ? a.score > b.score : (*before)(a.row, b.row);
    }
  };

  Better better() const { return {before_}; }

  void consider(ScoredRow candidate) {
    if (full_ && !better()(candidate, last_)) return;
    const std::size_t most = k_ + std::max(k_, kLeastBuffer);
    if (kept_.empty()) kept_.reserve(std::min(most, 2 * kLeastBuffer));
    kept_.push_back(candidate);
    if (kept_.size() >= most) cut();
  }

  void cut() {
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
    std::nth_element(kept_.begin(), last, kept_.end(), better());
    last_ = *last;
    threshold_ = last_.score;
    full_ = true;
    kept_.resize(k_);
  }

  std::size_t k_;
  const RowLess* before_;
  float threshold_ = -std::numeric_limits<float>::infinity();
  bool full_ = false;  // k candidates are known, and last_ is the least of them
  ScoredRow last_{kNoRow, 0.0f};
  std::vector<ScoredRow> kept_;
};

}  // namespace knarr
