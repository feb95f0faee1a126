// Spans of the match texts of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace knarr {

using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = 0xFFFF'FFFFu;

// Bytes of a block's match text.
struct PageSpan {
  BlockId block;
  std::uint32_t begin;
  std::uint32_t end;

  bool operator==(const PageSpan&) const = default;
};

// Puts spans in order of block and byte, and makes one of those that touch.
void settle(std::vector<PageSpan>& spans);

// What of `spans` lies less than `reach` bytes from a span of `others` in the same block. Both are
// settled.
std::vector<PageSpan> near(std::span<const PageSpan> spans, std::span<const PageSpan> others,
                           std::uint32_t reach);

}  // namespace knarr
