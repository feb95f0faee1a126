// CharacterSet: the characters that one place of a pattern can match.
//
// The ASCII part is exact but for Unicode properties (`\pL`), whose ASCII members are not looked
// up. The set therefore keeps two bounds: `ascii` is a superset, `certain` a subset. A negated
// class is the complement of the subset, so that it stays a superset of what RE2 matches.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace knarr {

using AsciiSet = std::bitset<128>;

// Larger sets are not enumerated.
inline constexpr std::size_t kMaxEnumerated = 10;

AsciiSet set_of(std::string_view characters);
// `d`, `s` or `w`.
AsciiSet perl_class(char name);
// `alpha` and the like; nothing for an unknown name.
std::optional<AsciiSet> posix_class(std::string_view name);
AsciiSet both_cases(AsciiSet set);

struct CharacterSet {
  AsciiSet ascii;                // every ASCII character that may be in the set
  AsciiSet certain;              // ASCII characters that are in it for sure
  std::vector<char32_t> others;  // characters beyond ASCII
  bool has_more = false;         // there may be more of them, which are not listed
  bool has_all_others = false;   // every character beyond ASCII is in the set for sure

  void add(char32_t low, char32_t high);
  // A class with these ASCII characters, or its complement among all characters. With `reaches_on`
  // it has others too, which are not known.
  void add_class(const AsciiSet& set, bool negated, bool reaches_on);
  // A class of which nothing is known: it may contain any character.
  void add_unknown();
  // The complement among all characters.
  void negate();

  // The character, when there is only one.
  std::optional<char32_t> single() const;
};

}  // namespace knarr
