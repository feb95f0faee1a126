// Names of the constructs that other dialects have and RE2 lacks.
#include <array>
#include <utility>

#include "grep/pattern/syntax.h"

namespace knarr {

std::string_view unsupported_construct(std::string_view pattern, std::string_view part) {
  constexpr auto npos = std::string_view::npos;
  if (part == "(?<") {  // RE2 stops before it knows which of the three it is
    if (pattern.find("(?<=") != npos || pattern.find("(?<!") != npos) return "look-behind";
    return "a named group without P: write (?P<name>...)";
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> groups{{
      {"(?=", "look-ahead"},
      {"(?!", "look-ahead"},
      {"(?>", "an atomic group"},
      {"(?#", "a comment"},
      {"(?|", "a branch reset"},
      {"(?(", "a condition"},
      {"(?R", "recursion"},
      {"(?&", "recursion"},
      {"(?P", "a back-reference or recursion by name"},
  }};
  for (const auto& [begin, name] : groups) {
    if (part == begin) return name;
  }
  if (part.size() == 2 && part[0] == '\\') {
    const char c = part[1];
    if ((c >= '1' && c <= '9') || c == 'k' || c == 'g') return "a back-reference";
    if (std::string_view("GhHKNRuXZ").find(c) != npos) return "an escape sequence";
  }
  if (part.size() == 2 && part[1] == '+' && part[0] != '{') return "a possessive repetition";
  return {};
}

}  // namespace knarr
