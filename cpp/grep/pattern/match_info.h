// MatchInfo: what is known of the matches of a part of a pattern.
//
// A pattern's required texts are computed bottom-up over its syntax, as in Russ Cox, "Regular
// Expression Matching with a Trigram Index" (2012): a part that matches few texts lists all of them
// (it is exact); texts of exact parts that follow one another are joined; where the list would grow
// too long, it becomes a clause, a requirement that every match contains one of these texts.
//
// Invariant: everything is an over-estimate. A part may say less than is true, never more: it may
// lose a clause, list a text that cannot match, or allow a longer match. So whatever relies on it
// may search too much and never too little. All texts are folded (fold.h).
//
// Cost: the limits below bound what is kept for each part, so the time is linear in the pattern.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grep/pattern/character_set.h"
#include "grep/pattern/pattern_cursor.h"

namespace knarr {

// Every match contains one of these texts.
using Clause = std::vector<std::string>;

inline constexpr std::size_t kMinClauseBytes = 3;   // of each text of a clause
inline constexpr std::size_t kMaxClauseBytes = 32;  // longer texts are cut into several clauses
inline constexpr std::size_t kMaxExactTexts = 48;   // of an exact part
inline constexpr std::size_t kMaxClauseTexts = 256;
inline constexpr std::size_t kMaxClauses = 8;

// The clause that narrows a search most: long texts, and few of them. Null when there is none.
const Clause* best_clause(const std::vector<Clause>& clauses);

struct MatchInfo {
  bool is_exact = false;            // the part matches `texts` and nothing else
  std::vector<std::string> texts;   // when exact; distinct
  std::vector<Clause> clauses;      // when not
  AsciiSet ascii;                   // the ASCII characters that a match can contain
  std::uint32_t longest_bytes = 0;  // of a match; kUnbounded: no bound

  // The clauses of a part on its own: an exact one has a single clause, or none.
  std::vector<Clause> own_clauses() &&;
};

// Matches the empty text only, like an anchor.
MatchInfo empty_match();

// Parts that follow one another. Invariant: every match ends with one of texts_, right where the
// next part begins; when is_whole_, texts_ are all the matches there are.
class SequenceInfo {
 public:
  SequenceInfo() : texts_{""} {}

  void add(const MatchInfo& part);
  // `most` may be kUnbounded.
  void add_repeated(const MatchInfo& part, std::uint32_t least, std::uint32_t most);
  MatchInfo finish();

 private:
  void join(const MatchInfo& part);
  void close_clause();

  MatchInfo sum_;
  std::vector<std::string> texts_;
  bool is_whole_ = true;
};

// Alternatives: a clause of the whole needs a text of each.
MatchInfo any_of(const std::vector<MatchInfo>& parts);

}  // namespace knarr
