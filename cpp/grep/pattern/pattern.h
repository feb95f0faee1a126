// A compiled pattern: finds the next match in a text, in linear time.
//
// Text that only matches itself is found by searching for its bytes, everything else by RE2, whose
// time is linear in the text whatever the pattern. Both say the same.
//
// Threads: immutable; any number may search at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grep/index/page_index.h"
#include "grep/pattern/cuts.h"
#include "grep/pattern/finder.h"

namespace re2 {
class RE2;
}

namespace knarr {

// The first place of `part` in text[from, to); npos when there is none.
std::size_t find_text(std::string_view text, std::size_t from, std::size_t to,
                      std::string_view part);

class Pattern {
 public:
  // Throws what grep() promises for patterns.
  Pattern(std::string_view pattern, bool literal, bool ignore_case);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  struct Span {
    std::size_t begin;
    std::size_t end;
  };
  // The leftmost match inside text[from, to), into `match`; false when there is none. The whole
  // text is the context of anchors and word borders. Line ends of the text are LF.
  bool find(std::string_view text, std::size_t from, std::size_t to, Span& match) const;

  // False only when no match can hold a line end.
  bool crosses_lines() const { return crosses_lines_; }

  // A text that every match holds, worth looking for first; empty when there is none.
  std::string_view required() const { return required_; }

  // For the index: every match holds a text of each clause. None: nothing is certain.
  const std::vector<GramLines>& clauses() const { return clauses_; }
  const Cuts& cuts() const { return cuts_; }
  // Finds what every match holds, or one of several texts, in any case.
  const Finder& finder() const { return finder_; }
  // No match is longer, in bytes of the match text.
  std::size_t longest_bytes() const { return longest_bytes_; }

  // What a byte of text costs at worst, in steps of the matcher: the size of the program.
  std::size_t cost() const { return cost_; }

 private:
  void compile(std::string_view pattern, bool literal, bool ignore_case);
  void learn(bool literal, bool ignore_case);

  std::string plain_;  // what is searched for, when not re2_
  std::unique_ptr<re2::RE2> re2_;
  std::string required_;
  std::vector<GramLines> clauses_;
  Cuts cuts_;
  Finder finder_;
  std::size_t longest_bytes_ = kUnbounded;
  bool crosses_lines_ = true;
  std::size_t cost_ = 1;
};

// The same, from a small cache of recent patterns. Safe to call from any thread.
std::shared_ptr<const Pattern> cached_pattern(std::string_view pattern, bool literal,
                                              bool ignore_case);

}  // namespace knarr
