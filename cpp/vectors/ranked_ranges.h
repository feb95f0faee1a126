// The allowed rows by rank, 0 to size() - 1, so that work on them can be cut into even tasks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "filter/rows.h"

namespace knarr {

class RankedRanges {
 public:
  explicit RankedRanges(const RowSet& rows) {
    rows.for_each_range([this](Row begin, Row end) {
      ranges_.push_back({begin, end, size_});
      size_ += end - begin;
    });
  }

  std::uint64_t size() const { return size_; }

  // Calls f(begin, end) for the ranges of rows that have ranks [from, to).
  template <class F>
  void visit(std::uint64_t from, std::uint64_t to, F&& f) const {
    auto range = std::upper_bound(ranges_.begin(), ranges_.end(), from,
                                  [](std::uint64_t rank, const Range& r) { return rank < r.rank; });
    for (--range; from < to; ++range) {
      const Row begin = range->begin + static_cast<Row>(from - range->rank);
      const Row end = static_cast<Row>(std::min<std::uint64_t>(range->end, begin + (to - from)));
      f(begin, end);
      from += end - begin;
    }
  }

 private:
  struct Range {
    Row begin;
    Row end;
    std::uint64_t rank;  // of `begin`
  };
  std::vector<Range> ranges_;
  std::uint64_t size_ = 0;
};

}  // namespace knarr
