// The characters that a class of a pattern stands for.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "grep/pattern/part.h"

namespace knarr {

inline constexpr std::size_t kMostCharacters = 10;  // of a class that is written out

AsciiSet set_of(std::string_view characters);
// `d`, `s` or `w`.
AsciiSet perl_class(char name);
// `alpha` and so on; nothing for a name that is none.
std::optional<AsciiSet> posix_class(std::string_view name);
AsciiSet both_cases(AsciiSet set);

struct Characters {
  AsciiSet ascii;
  std::vector<char32_t> others;  // beyond ASCII
  bool has_more = false;         // and more of them, not listed

  void add(char32_t low, char32_t high);
  void add_class(const AsciiSet& set, bool negated);
};

}  // namespace knarr
