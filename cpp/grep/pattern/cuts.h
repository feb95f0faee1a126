// Cuts: where a text may be parted without parting a match.
//
// A match lies between two characters that it cannot hold. For most patterns that is a line; for
// one that may cross lines, such as `late\s+fee`, any letter that is not its own will do.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "grep/pattern/part.h"

namespace knarr {

class Cuts {
 public:
  // `ascii`: what a match can hold. Only ASCII characters part a text.
  explicit Cuts(const AsciiSet& ascii);

  // Whether there is any character to cut behind.
  bool any() const { return any_; }

  // The last cut in [low, at], or low; and the first cut in [at + 1, high], or high: a cut is the
  // place behind a character that no match holds.
  std::size_t before(std::string_view text, std::size_t at, std::size_t low) const;
  std::size_t after(std::string_view text, std::size_t at, std::size_t high) const;

 private:
  std::array<bool, 256> parts_{};
  bool any_ = false;
  bool only_lines_ = false;
};

}  // namespace knarr
