// The syntax of a pattern, as a tree: the one place that reads RE2's syntax.
//
// RE2 compiles and matches patterns, but its own parse tree is not part of its public interface. So
// the pattern is parsed a second time here, for what the matcher does not tell: which texts every
// match contains, which characters it can contain, how long it can be (facts.h). RE2 has accepted
// the pattern before, so the parser need not find mistakes; but it must never misread one. Where it
// is not certain, it gives up, and everything that relies on the tree falls back to a full search.
//
// The tree is simpler than the syntax: groups, names and flags are resolved. It is also what the
// matcher of Unicode words runs (unicode_matcher.h), so it says everything that RE2 would heed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grep/pattern/character_set.h"
#include "grep/pattern/pattern_cursor.h"
#include "grep/pattern/unicode_classes.h"

namespace knarr {

// What an empty match asks of its place.
enum class Assertion { kNone, kLineBegin, kLineEnd, kTextBegin, kTextEnd, kWordEdge, kNoWordEdge };

// A class of characters, exactly: those of its named classes and of `rest`, or all others. Where
// `folds_case`, `rest` matches in any case.
struct ExactClass {
  struct Named {
    const UnicodeClass* kind;
    bool negated;
  };
  bool negated = false;
  bool folds_case = false;
  std::vector<Named> named;
  std::string rest;  // without `named`, as a class of RE2 (`[a-z]`, `\pL`); or empty
};

struct PatternNode {
  enum class Type {
    kEmpty,        // matches the empty text only, where `assertion` holds
    kText,         // the characters of `text`, one after the other
    kSet,          // one character of `set`
    kSequence,     // `parts`, one after the other
    kAlternation,  // any of `parts`
    kRepetition,   // its only part, `least` to `most` times
  };
  Type type = Type::kEmpty;
  bool folds_case = false;  // of kText and kSet: letters match in any case
  Assertion assertion = Assertion::kNone;
  std::u32string text;
  CharacterSet set;  // of kSet, as bounds
  ExactClass exact;  // of kSet
  std::vector<PatternNode> parts;
  std::uint32_t least = 1;
  std::uint32_t most = 1;  // kUnbounded: no bound
  bool is_lazy = false;    // the fewest repetitions first
};

// `pattern` is well-formed RE2 syntax. Nothing when it uses a construct that is not known here, or
// nests groups deeper than 200.
std::optional<PatternNode> parse_pattern(std::string_view pattern, bool ignore_case);
// A text that only matches itself.
PatternNode text_node(std::string_view text, bool ignore_case);

// True when the pattern has no operator: it only matches itself.
bool is_plain_text(std::string_view pattern);

// The pattern with each `\r\n` replaced by `\n`: texts are matched with their line ends as one LF.
std::string with_plain_line_ends(std::string_view pattern);

// Names the construct that RE2 stopped at, when it needs backtracking or RE2 does not offer it;
// empty when the pattern is simply wrong. `part` is the part of the pattern that RE2 complained of.
std::string_view unsupported_construct(std::string_view pattern, std::string_view part);

}  // namespace knarr
