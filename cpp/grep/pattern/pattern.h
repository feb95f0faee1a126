// Pattern: a compiled pattern, which finds the next match in a text in linear time.
//
// A pattern that only matches itself is searched for byte by byte, every other one by RE2, whose
// time is linear in the text whatever the pattern. RE2 takes `\b`, `\w`, `\d`, `\s` and `[:alpha:]`
// for ASCII. A pattern that uses them is matched by RE2 where a text holds no character on which
// that makes a difference, and elsewhere by a matcher of our own (unicode_matcher.h). All of them
// find the same. Beside the matchers a Pattern holds what its syntax tells of its matches
// (facts.h), and the literal finder made from it.
//
// Threads: immutable; any number may search at once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grep/pattern/cut_points.h"
#include "grep/pattern/facts.h"
#include "grep/pattern/literal_finder.h"
#include "grep/pattern/unicode_program.h"

namespace re2 {
class RE2;
}

namespace knarr {

inline constexpr std::size_t kMaxPatternBytes = std::size_t{32} << 10;

// The first place of `part` in text[from, to); npos when there is none.
std::size_t find_text(std::string_view text, std::size_t from, std::size_t to,
                      std::string_view part);

class Pattern {
 public:
  // Throws Error kInvalidArgument or kUnsupported, as grep() promises for patterns.
  Pattern(std::string_view pattern, bool literal, bool ignore_case);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  struct Span {
    std::size_t begin;
    std::size_t end;
  };
  // Whether text[from, to), or a character beside it, is for the matcher of Unicode words.
  bool needs_unicode(std::string_view text, std::size_t from, std::size_t to) const;
  // The leftmost match inside text[from, to), into `match`; false when there is none. The whole
  // text is the context of anchors and word boundaries. Line ends of the text are LF. `unicode` is
  // what needs_unicode() said of this text, or of one that contains it.
  bool find(std::string_view text, std::size_t from, std::size_t to, bool unicode,
            Span& match) const;
  // Whether needs_unicode() may be true of a text: texts are then best asked in small pieces.
  bool may_need_unicode() const { return unicode_ != nullptr; }

  // False only when no match can contain a line end.
  bool crosses_lines() const { return facts_.ascii['\n']; }
  // Every match contains a text of each clause. None: nothing is certain.
  const std::vector<Clause>& clauses() const { return facts_.clauses; }
  // No match is longer, in bytes of the match text.
  std::size_t longest_bytes() const { return facts_.longest_bytes; }

  // A text that every match contains, worth looking for first; empty when there is none.
  std::string_view required() const { return required_; }
  // Finds the texts of the best clause in any case; not usable when there is none.
  const LiteralFinder& finder() const { return finder_; }
  const CutPoints& cut_points() const { return cut_points_; }

  // The steps that the matcher needs for a byte of text at worst: the size of its program.
  std::size_t cost() const { return cost_; }

 private:
  void compile(std::string_view pattern, const std::string& source, bool literal, bool ignore_case);
  void compile_unicode(const std::optional<PatternNode>& root, std::string_view source);

  std::string plain_;  // searched for when there is no re2_
  std::unique_ptr<re2::RE2> re2_;
  std::unique_ptr<const UnicodeProgram> unicode_;  // when the two may differ
  std::unique_ptr<re2::RE2> loose_;                // finds where to begin with unicode_; or null
  PatternFacts facts_;
  std::string required_;
  LiteralFinder finder_;
  CutPoints cut_points_;
  std::size_t cost_ = 1;
};

// The same, from a small cache of recent patterns. Any thread.
std::shared_ptr<const Pattern> cached_pattern(std::string_view pattern, bool literal,
                                              bool ignore_case);

}  // namespace knarr
