// Grep: a regular expression over the texts of the allowed rows.
//
// RE2 runs once over each maximal run of allowed adjacent slices, with the whole block as context:
// `^`, `$` and `\b` see the neighbouring slices, but a match never extends into them. So a phrase
// that crosses chunk borders is found once, with all rows that it touches.
//
// Patterns: RE2 syntax. `^` and `$` are line anchors; a final line end opens no further line, so
// `^$` finds blank lines and nothing else. Every line end (LF, CRLF, a lone CR) is one `\n` for the
// pattern, and `.` never matches it; `\z` is the end of the block's text. `\w`, `\d`, `\s` and the
// names of POSIX are classes of Unicode, and `\b` parts words so understood
// (pattern/unicode_classes.h). Matches do not overlap; an empty match is found once per position,
// never at the end of the match before it.
//
// For a wide scope, the texts that every match must contain are looked up in an index of the pages
// of all texts (index/page_index.h), and only the pages that may contain them are searched. The
// results are those of a full scan.
//
// The time for one match is linear in the text. The deadline is checked between matches and between
// pieces of the text, so a call ends soon after it and returns the matches found until then, as
// kIncomplete.
//
// Threads: any number may call grep at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "filter/rows.h"
#include "grep/text/text.h"

namespace knarr {

inline constexpr std::size_t kMaxExcerptBytes = std::size_t{64} << 10;
inline constexpr std::uint64_t kMaxMatchesShown = 100'000;

// Whether the index is used. kAuto: when the scope is wide enough for it to pay. The results are
// the same.
enum class IndexUse { kAuto, kNever, kAlways };

struct GrepOptions {
  bool literal = false;  // the pattern is plain text
  bool ignore_case = false;
  std::uint64_t offset = 0;          // matches to skip
  std::uint64_t limit = 100;         // matches to return, at most kMaxMatchesShown; 0 only counts
  std::size_t width = 200;           // bytes of an excerpt, 1 to kMaxExcerptBytes
  std::int64_t timeout_ms = 10'000;  // at least 1
  IndexUse index = IndexUse::kAuto;
};

struct GrepMatch {
  BlockId block;
  std::uint32_t begin_byte;  // of the block's text
  std::uint32_t end_byte;
  std::uint32_t line;     // of begin_byte, from 1
  std::uint32_t column;   // byte in that line, from 1
  std::vector<Row> rows;  // all rows that it touches, ascending; never empty
  // At most `width` bytes around the match: allowed text of its first line, whole characters, no
  // line end. A longer match is shown from its beginning.
  std::string excerpt;
  std::uint32_t excerpt_begin_byte;  // of the block's text
};

enum class GrepOutcome { kMatches, kNoMatches, kIncomplete };

struct GrepResult {
  GrepOutcome outcome = GrepOutcome::kNoMatches;
  std::vector<GrepMatch> matches;            // in order of block, then begin_byte
  std::uint64_t total = 0;                   // all matches found, shown or not
  std::optional<std::uint64_t> next_offset;  // of the next page; none when all matches are shown
  // Bytes of the allowed rows' text, without those that the index excludes.
  std::uint64_t bytes_allowed = 0;
  std::uint64_t bytes_searched = 0;  // less than bytes_allowed only when incomplete
  Row first_unsearched = kNoRow;     // the row in which the first unsearched text begins
  std::string note;                  // why it is incomplete, for a person; else empty
};

// Throws Error kInvalidArgument for a bad pattern or option (the message gives RE2's reason and the
// offending part, or "pattern too costly"), and kUnsupported for constructs that RE2 does not
// offer: look-around, back-references, and others that need backtracking; also for `\b`, `\w` and
// the like beside `\C` or in more than 200 nested groups, where the pattern's tree is not known.
GrepResult grep(const TextView& texts, const RowSet& allowed, std::string_view pattern,
                const GrepOptions& options);

}  // namespace knarr
