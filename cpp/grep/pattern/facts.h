// PatternFacts: what a pattern's syntax tells of its matches, without running it.
//
// The index uses them to choose pages, the literal finder to find the next candidate, the scan to
// cut texts where no match is cut. Each fact is an over-estimate: it may allow what the pattern
// never matches, and never excludes what it does. A pattern of unknown syntax has no facts, which
// means that anything may match anywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grep/pattern/match_info.h"
#include "grep/pattern/syntax.h"
#include "grep/pattern/unicode_classes.h"

namespace knarr {

struct PatternFacts {
  // Every match contains a text of each of these. None: nothing is certain.
  std::vector<Clause> clauses;
  // The ASCII characters that a match can contain. With a line feed, it may cross lines.
  AsciiSet ascii = AsciiSet().set();
  // No match is longer.
  std::uint32_t longest_bytes = kUnbounded;
  // An s or k of a clause may stand for a letter beyond ASCII (fold.h).
  bool is_loose = false;
  // The characters beyond ASCII on which RE2's reading of the pattern differs from ours, as bits of
  // Foreign: those that `\b`, `\w` and the like take for words, spaces or signs.
  unsigned foreign = kNoForeign;
  // The longest text, case and all, that every match contains as far as the syntax shows; or empty.
  std::string required;
};

// Of the pattern's tree; none when its syntax is not known.
PatternFacts pattern_facts(const std::optional<PatternNode>& root);
// `pattern` is well-formed RE2 syntax with plain line ends (syntax.h); when `literal`, it is text.
PatternFacts pattern_facts(std::string_view pattern, bool literal, bool ignore_case);

}  // namespace knarr
