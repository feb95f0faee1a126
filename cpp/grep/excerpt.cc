#include "grep/excerpt.h"

#include <algorithm>

#include "base/utf8.h"

namespace knarr {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

// Only the bytes near the match are looked at: a line may be megabytes long.
Window excerpt_window(const Block& block, const RawMatch& match, std::size_t width) {
  const std::string_view text = block.text();
  const std::size_t low = match.run.begin_byte;
  const std::size_t high = match.run.end_byte;

  std::size_t begin = match.begin_byte;
  std::size_t end = begin;
  const std::size_t match_end = std::min<std::size_t>(match.end_byte, begin + width);
  while (end < match_end && !is_line_end(text[end])) ++end;

  // How far either side could go, then what each may take of what is left.
  std::size_t room = width - (end - begin);
  std::size_t before = begin;
  while (before > low && begin - before < room && !is_line_end(text[before - 1])) --before;
  std::size_t after = end;
  if (end == match.end_byte) {  // not when the match itself goes on
    while (after < high && after - end < room && !is_line_end(text[after])) ++after;
  }
  const std::size_t left = begin - before;
  const std::size_t right = after - end;
  const std::size_t take_left = std::min(left, std::max(room / 2, room - std::min(room, right)));
  const std::size_t take_right = std::min(right, room - take_left);
  const std::size_t window_begin = boundary_after(text, begin - take_left);
  const std::size_t window_end = boundary_before(text, end + take_right);
  return {static_cast<std::uint32_t>(window_begin),
          static_cast<std::uint32_t>(std::max(window_begin, window_end))};
}

}  // namespace knarr
