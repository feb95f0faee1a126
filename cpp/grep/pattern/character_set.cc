#include "grep/pattern/character_set.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace knarr {
namespace {

AsciiSet range_of(int low, int high) {
  AsciiSet set;
  for (int c = low; c <= high; ++c) set.set(static_cast<std::size_t>(c));
  return set;
}

AsciiSet digits() { return range_of('0', '9'); }
AsciiSet letters() { return range_of('a', 'z') | range_of('A', 'Z'); }

}  // namespace

AsciiSet set_of(std::string_view characters) {
  AsciiSet set;
  for (const char c : characters) set.set(static_cast<unsigned char>(c));
  return set;
}

AsciiSet perl_class(char name) {
  switch (name) {
    case 'd':
      return digits();
    case 's':
      return set_of("\t\n\v\f\r ");
    default:
      return digits() | letters() | set_of("_");
  }
}

std::optional<AsciiSet> posix_class(std::string_view name) {
  constexpr int last = 127;
  const std::array<std::pair<std::string_view, int (*)(int)>, 11> kinds{{
      {"alnum", std::isalnum},
      {"alpha", std::isalpha},
      {"cntrl", std::iscntrl},
      {"digit", std::isdigit},
      {"graph", std::isgraph},
      {"lower", std::islower},
      {"print", std::isprint},
      {"punct", std::ispunct},
      {"space", std::isspace},
      {"upper", std::isupper},
      {"xdigit", std::isxdigit},
  }};
  if (name == "ascii") return range_of(0, last);
  if (name == "blank") return set_of("\t ");
  if (name == "word") return perl_class('w');
  AsciiSet set;
  for (const auto& [known, holds] : kinds) {
    if (name != known) continue;
    for (int c = 0; c <= last; ++c) set.set(static_cast<std::size_t>(c), holds(c) != 0);
    return set;
  }
  return std::nullopt;
}

AsciiSet both_cases(AsciiSet set) {
  for (int c = 'a'; c <= 'z'; ++c) {
    const auto small = static_cast<std::size_t>(c);
    const bool either = set[small] || set[small - 32];
    set[small] = either;
    set[small - 32] = either;
  }
  return set;
}

void CharacterSet::add(char32_t low, char32_t high) {
  for (char32_t c = low; c <= high && c < 0x80; ++c) {
    ascii.set(c);
    certain.set(c);
  }
  const char32_t begin = std::max<char32_t>(low, 0x80);
  if (high < begin) return;
  has_more = has_more || others.size() + (high - begin) >= kMaxEnumerated;
  for (char32_t c = begin; c <= high && !has_more; ++c) others.push_back(c);
}

void CharacterSet::add_class(const AsciiSet& set, bool negated, bool reaches_on) {
  ascii |= negated ? ~set : set;
  certain |= negated ? ~set : set;
  has_more = has_more || negated || reaches_on;
  has_all_others = has_all_others || (negated && !reaches_on);
}

void CharacterSet::add_unknown() {
  ascii.set();
  has_more = true;
}

void CharacterSet::negate() {
  // `certain` may stay empty: a class is negated only once, as a whole.
  ascii = ~certain;
  certain.reset();
  others.clear();
  has_more = !has_all_others;
  has_all_others = false;
}

std::optional<char32_t> CharacterSet::single() const {
  if (has_more || ascii.count() + others.size() != 1) return std::nullopt;
  if (!others.empty()) return others.front();
  char32_t c = 0;
  while (!ascii[c]) ++c;
  return c;
}

}  // namespace knarr
