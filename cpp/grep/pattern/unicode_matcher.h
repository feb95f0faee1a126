// The matcher of Unicode words: finds what RE2 would, if its `\b`, `\w`, `\d` and `\s` were
// Unicode.
//
// RE2 decides `\b` by bytes, and no pattern of its own can ask for the character beside a match. So
// a pattern that uses these is matched by RE2 only in text where the ASCII and the Unicode meaning
// agree, and elsewhere by this: Pike's simulation of all choices at once, with the threads in order
// of preference (Russ Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009). It
// prefers the same match as RE2, leftmost, then by the order of the choices.
//
// Cost: text × instructions at worst, like RE2's; one text in one pass, without going back.
//
// Threads: any number at once.
#pragma once

#include <cstddef>
#include <string_view>

#include "grep/pattern/unicode_program.h"

namespace knarr {

struct UnicodeMatch {
  std::size_t begin;
  std::size_t end;
};

// The leftmost match inside text[from, to); false when there is none. The whole text is the context
// of anchors and word boundaries.
bool find_unicode(const UnicodeProgram& program, std::string_view text, std::size_t from,
                  std::size_t to, UnicodeMatch& match);

}  // namespace knarr
