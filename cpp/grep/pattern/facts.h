// What a pattern's letters tell of its matches, without compiling it: where the index may look for
// them, and where a text may be cut without cutting one.
#pragma once

#include <string_view>

#include "grep/pattern/part.h"

namespace knarr {

struct PatternFacts {
  // Every match holds a text of each of these. None: nothing is certain.
  std::vector<Clause> clauses;
  // The ASCII characters that a match can hold.
  AsciiSet ascii = AsciiSet().set();
  // No match is longer.
  std::uint32_t longest_bytes = kUnbounded;
  // An s or k of a clause may stand for a letter beyond ASCII (see fold.h).
  bool is_loose = false;
};

// `pattern` is well-formed RE2 syntax, with its line ends plain; when `literal`, it is text.
PatternFacts pattern_facts(std::string_view pattern, bool literal, bool ignore_case);

}  // namespace knarr
