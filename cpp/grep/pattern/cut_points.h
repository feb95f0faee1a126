// CutPoints: places where a text may be cut without cutting a match in two.
//
// A match is a run of characters that the pattern can match, so it never contains one that the
// pattern cannot: behind each such character there is a cut point. For most patterns that is the
// line end, which `.` and the usual classes exclude; for one that may cross lines, such as
// `late\s+fee`, any letter that is not its own will do. Texts are then matched piece by piece
// instead of as a whole. Only ASCII characters are considered: their bytes occur in no other
// character of UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "grep/pattern/character_set.h"

namespace knarr {

class CutPoints {
 public:
  // `ascii`: the ASCII characters that a match can contain.
  explicit CutPoints(const AsciiSet& ascii) {
    const AsciiSet excluded = ~ascii;
    for (std::size_t c = 0; c < excluded.size(); ++c) is_excluded_[c] = excluded[c];
    any_ = excluded.any();
    only_lines_ = excluded.count() == 1 && excluded['\n'];
  }

  // False when a match can contain any character: then there is no cut point.
  bool any() const { return any_; }

  // The last cut point in [low, at]; low when there is none.
  std::size_t before(std::string_view text, std::size_t at, std::size_t low) const {
    if (!any_) return low;
    if (only_lines_) {
      const void* end = memrchr(text.data() + low, '\n', at - low);
      return end == nullptr ? low : behind(text, end);
    }
    while (at > low && !is_excluded_[static_cast<unsigned char>(text[at - 1])]) --at;
    return at;
  }

  // The first cut point in [at + 1, high]; high when there is none.
  std::size_t after(std::string_view text, std::size_t at, std::size_t high) const {
    if (!any_ || at >= high) return high;
    if (only_lines_) {
      const void* end = std::memchr(text.data() + at, '\n', high - at);
      return end == nullptr ? high : behind(text, end);
    }
    while (at < high && !is_excluded_[static_cast<unsigned char>(text[at])]) ++at;
    return at < high ? at + 1 : high;
  }

 private:
  static std::size_t behind(std::string_view text, const void* byte) {
    return static_cast<std::size_t>(static_cast<const char*>(byte) - text.data()) + 1;
  }

  std::array<bool, 256> is_excluded_{};  // by byte
  bool any_ = false;
  bool only_lines_ = false;
};

}  // namespace knarr
