// Named classes of characters as Unicode defines them: what `\w`, `\d`, `\s` and `[:alpha:]` mean.
//
// RE2 reads these names as ASCII, which cuts words at each letter such as ü. Here a word character
// is a letter, a mark, a number, a connector such as `_`, or a joiner (Unicode Technical Standard
// 18, annex C; numbers such as ² are in it too, as in Python's `re`), a digit is of category Nd,
// and a space has the property White_Space. The categories are read from RE2, so that `\w` and
// `\pL` never disagree about the version of Unicode.
//
// Threads: any number at once.
#pragma once

#include <string_view>

namespace knarr {

// Characters beyond ASCII on which a class differs from its ASCII form, as bits.
enum Foreign : unsigned {
  kNoForeign = 0,
  kForeignWords = 1,
  kForeignSpaces = 2,
  kOtherForeign = 4,
  kAnyForeign = 7,
};

class UnicodeClass {
 public:
  constexpr UnicodeClass(std::string_view name, const char* members, unsigned differs_on)
      : name_(name), members_(members), differs_on_(differs_on) {}

  std::string_view name() const { return name_; }
  unsigned differs_on() const { return differs_on_; }
  bool contains(char32_t c) const;

 private:
  std::string_view name_;
  const char* members_;  // those beyond ASCII, as a class of RE2
  unsigned differs_on_;
};

// `word`, `digit`, `space`, `alpha` and the other names of POSIX; null for the names that mean the
// same in ASCII (`ascii`, `xdigit`) and for unknown ones.
const UnicodeClass* unicode_class(std::string_view name);
// The letters that have a case, which `[:lower:]` and `[:upper:]` are when case is ignored.
const UnicodeClass& cased_class();

// Whether a character is one of a word: `\w`, and what `\b` parts.
bool is_word(char32_t c);

// The kinds of characters beyond ASCII in text[from, to), as bits of Foreign; of those asked for,
// the first one found is enough. A vertical tab counts as a space beyond ASCII: RE2's `\s` lacks
// it.
bool has_foreign(std::string_view text, std::size_t from, std::size_t to, unsigned kinds);

// The character that begins at text[at], whose length is added to `at`. Text is UTF-8.
char32_t next_character(std::string_view text, std::size_t& at);

}  // namespace knarr
