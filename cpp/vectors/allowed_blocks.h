// The allowed rows as a mask of 32 bits for each block of codes.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/rows.h"
#include "vectors/codes/codes.h"

namespace knarr {

class AllowedBlocks {
 public:
  // Of the rows of `allowed` before `end`.
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

  // Whether the rows [begin, end) are all allowed; false may also mean that nobody knows.
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
