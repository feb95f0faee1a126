// PageSpan: a stretch of a block's match text, the unit in which the index answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace knarr {

using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = 0xFFFF'FFFFu;

// Bytes [begin, end) of a block's match text.
struct PageSpan {
  BlockId block;
  std::uint32_t begin;
  std::uint32_t end;

  bool operator==(const PageSpan&) const = default;
};

// Sorts spans by block and byte, and joins adjacent ones.
void sort_and_join(std::vector<PageSpan>& spans);

// The parts of `spans` that lie less than `reach` bytes from one of `others` in the same block.
// Both are sorted and joined.
std::vector<PageSpan> parts_near(std::span<const PageSpan> spans, std::span<const PageSpan> others,
                                 std::uint32_t reach);

}  // namespace knarr
