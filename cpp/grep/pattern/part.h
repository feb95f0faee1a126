// What is known of a part of a pattern: the texts it is sure to hold, the letters it can hold, and
// how long its matches can be. Parts are put together as the pattern puts them together.
//
// All texts are folded (fold.h). Everything is an over-estimate: when too much would have to be
// kept, a part says less, never something wrong.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace knarr {

// Every match holds one of these texts.
using Clause = std::vector<std::string>;

inline constexpr std::uint32_t kUnbounded = 0xFFFF'FFFFu;
inline constexpr std::size_t kLeastClauseBytes = 3;  // of each text of a clause
inline constexpr std::size_t kMostClauseBytes = 32;  // longer texts are parted
inline constexpr std::size_t kMostTexts = 48;        // of an exact part
inline constexpr std::size_t kMostClauseTexts = 256;
inline constexpr std::size_t kMostClauses = 8;

using AsciiSet = std::bitset<128>;

struct Part {
  bool is_exact = false;            // it matches `texts`, and nothing else
  std::vector<std::string> texts;   // when exact, all different
  std::vector<Clause> clauses;      // when not
  AsciiSet ascii;                   // the ASCII characters that a match can hold
  std::uint32_t longest_bytes = 0;  // of a match in the text; kUnbounded: no bound

  // The clause that says most about where a match can be; empty when there is none.
  Clause best_clause() const;
};

// Matches nothing but the empty text: an anchor.
Part empty_part();
// Of any text.
Part any_part();

// Parts that follow one another.
class Sequence {
 public:
  Sequence();
  void add(const Part& part);
  // `most` may be kUnbounded.
  void add_repeated(const Part& part, std::uint32_t least, std::uint32_t most);
  Part finish();

 private:
  void join(const Part& part);
  void part_here();
  void take_clauses(const Part& part);

  Part sum_;
  std::vector<std::string> texts_;  // what stands right before the next part
  bool is_whole_ = true;            // texts_ is all there is
};

Part either(const std::vector<Part>& parts);

}  // namespace knarr
