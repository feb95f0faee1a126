// The allowed rows of a filter, laid out as scans need them: by rank, to cut work on them into even
// tasks, and as a mask of 32 bits for each block of codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "filter/rows.h"
#include "vectors/codes/codes.h"

namespace knarr {

// Ranks run from 0 to size() - 1.
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

class AllowedBlocks {
 public:
  // Shows the rows of `allowed` before `end`.
  AllowedBlocks(const RowSet& allowed, Row end)
      : begin_(allowed.empty() ? 0 : allowed.first()),
        end_(allowed.empty() ? 0 : std::min(end, allowed.last() + 1)),
        is_range_(allowed.is_range()) {
    if (!is_range_ && begin_ < end_) words_ = allowed.to_words();
  }

  // The blocks [first(), last()) hold all of them.
  std::size_t first() const { return begin_ / kBlockCodes; }
  std::size_t last() const {
    return begin_ < end_ ? (end_ + kBlockCodes - 1) / kBlockCodes : first();
  }

  // True: the rows [begin, end) are all allowed. False: they may be, or not.
  bool all_of(Row begin, Row end) const { return is_range_ && begin_ <= begin && end <= end_; }

  // Bit i: whether row 32 · block + i is allowed.
  std::uint32_t mask(std::size_t block) const {
    const std::uint64_t row = block * kBlockCodes;
    if (row + kBlockCodes <= begin_ || end_ <= row) return 0;
    std::uint32_t bits = ~std::uint32_t{0};
    if (row < begin_) bits &= ~std::uint32_t{0} << (begin_ - row);
    if (end_ < row + kBlockCodes) bits &= ~std::uint32_t{0} >> (row + kBlockCodes - end_);
    if (is_range_) return bits;
    return bits & static_cast<std::uint32_t>(words_[row / 64] >> (row % 64));
  }

 private:
  Row begin_;
  Row end_;
  bool is_range_;
  std::vector<std::uint64_t> words_;
};

}  // namespace knarr
