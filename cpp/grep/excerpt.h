// Excerpts: a bounded window of text around a match.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grep/scan.h"

namespace knarr {

struct Window {
  std::uint32_t begin_byte;
  std::uint32_t end_byte;
};

// At most `width` bytes of the line that the match begins in: whole characters, no line end, and
// nothing outside the match's run. The match is in the middle where there is room; one longer than
// the window is shown from its begin.
Window excerpt_window(const Block& block, const RawMatch& match, std::size_t width);

}  // namespace knarr
