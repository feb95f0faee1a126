#include "grep/pattern/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "grep/pattern/loose_form.h"
#include "grep/pattern/syntax.h"
#include "grep/pattern/unicode_matcher.h"

namespace knarr {
namespace {

// The type of RE2's text arguments, deduced from its interface: re2::StringPiece in older releases
// (Debian 12), absl::string_view in newer ones.
template <class P>
P piece_of(bool (RE2::*)(const P&, std::size_t, std::size_t, RE2::Anchor, P*, int) const);
template <class P>
P piece_of(bool (RE2::*)(P, std::size_t, std::size_t, RE2::Anchor, P*, int) const);
using Re2Piece = decltype(piece_of(&RE2::Match));

// The memory of a pattern's programs and automata. When it is used up, RE2 starts an automaton anew
// or falls back to slower matching, which is still linear.
constexpr std::int64_t kMatcherBytes = 16 << 20;

// `\pL{2,40}` is 50,000 steps. With more than this a page of text may take seconds.
constexpr std::size_t kMaxProgram = 60'000;

// Shorter texts occur everywhere: looking for them first would save nothing.
constexpr std::size_t kMinRequired = 3;

// Makes `^` and `$` line anchors. RE2 quotes it in its messages, from which it is cut again.
constexpr std::string_view kMultiLine = "(?m)";

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 80;
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, boundary_before(text, most))) + "...";
}

[[noreturn]] void too_costly(const std::string& reason) {
  fail(ErrorCode::kInvalidArgument, "pattern too costly: " + reason);
}

// `{7,2}` is wrong rather than costly; RE2 has one code for both.
bool is_inverted(std::string_view repetition) {
  const std::size_t comma = repetition.find(',');
  if (comma == std::string_view::npos || comma + 2 >= repetition.size()) return false;
  const auto low = repetition.substr(1, comma - 1);
  const auto high = repetition.substr(comma + 1, repetition.size() - comma - 2);
  return low.size() != high.size() ? low.size() > high.size() : low > high;
}

[[noreturn]] void refuse(const RE2& re2, std::string_view pattern) {
  std::string part = re2.error_arg();
  std::string reason = re2.error();
  for (std::string* text : {&part, &reason}) {
    const std::size_t at = text->find(kMultiLine);
    if (at != std::string::npos) text->erase(at, kMultiLine.size());
  }
  switch (re2.error_code()) {
    case RE2::ErrorPatternTooLarge:
      too_costly("its program is over the limit; use smaller repetitions");
    case RE2::ErrorRepeatSize:
      if (!is_inverted(part)) {
        too_costly("repetition " + shortened(part) + ", expected at most 1000 in all");
      }
      break;
    case RE2::ErrorBadPerlOp:
    case RE2::ErrorBadEscape:
    case RE2::ErrorRepeatOp: {
      const std::string_view name = unsupported_construct(pattern, part);
      if (!name.empty()) {
        fail(ErrorCode::kUnsupported, "pattern not supported: " + part + " is " +
                                          std::string(name) +
                                          "; patterns are RE2, which matches in linear time");
      }
      break;
    }
    default:
      break;
  }
  fail(ErrorCode::kInvalidArgument,
       "bad pattern '" + shortened(pattern) + "': " + shortened(reason));
}

RE2::Options quiet_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMatcherBytes);
  options.set_never_capture(true);  // only the bounds of the whole match are used
  return options;
}

bool find_re2(const RE2& re2, std::string_view text, std::size_t from, std::size_t to,
              Pattern::Span& match) {
  Re2Piece found;
  const Re2Piece context(text.data(), text.size());
  if (!re2.Match(context, from, to, RE2::UNANCHORED, &found, 1)) return false;
  match.begin = static_cast<std::size_t>(found.data() - text.data());
  match.end = match.begin + found.size();
  return true;
}

// Whether a pattern may use what RE2 takes for ASCII.
bool mentions_words(std::string_view pattern) {
  for (const std::string_view part :
       {"\\b", "\\B", "\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "[:"}) {
    if (pattern.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string with_lf(std::string_view pattern) {
  std::string plain;
  plain.reserve(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\r') {
      plain.push_back(pattern[i]);
    } else if (pattern.substr(i + 1, 1) != "\n") {
      plain.push_back('\n');
    }
  }
  return plain;
}

}  // namespace

std::size_t find_text(std::string_view text, std::size_t from, std::size_t to,
                      std::string_view part) {
  const void* at = memmem(text.data() + from, to - from, part.data(), part.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

Pattern::Pattern(std::string_view pattern, bool literal, bool ignore_case)
    : cut_points_(AsciiSet().set()) {
  if (pattern.empty()) fail(ErrorCode::kInvalidArgument, "bad pattern: it is empty");
  if (pattern.size() > kMaxPatternBytes) {
    too_costly(std::to_string(pattern.size()) + " bytes, expected at most " +
               std::to_string(kMaxPatternBytes));
  }
  const std::size_t bad = first_invalid_utf8(pattern);
  if (bad != pattern.size()) {
    fail(ErrorCode::kInvalidArgument,
         "bad pattern: it is not UTF-8 at byte " + std::to_string(bad));
  }
  plain_ = with_lf(pattern);
  literal = literal || is_plain_text(pattern);
  const std::string source = literal ? plain_ : with_plain_line_ends(plain_);
  if (!literal || ignore_case) compile(pattern, source, literal, ignore_case);
  // Only now: the tree is that of a well-formed pattern.
  const std::optional<PatternNode> root =
      literal ? text_node(source, ignore_case) : parse_pattern(source, ignore_case);
  facts_ = pattern_facts(root);
  if (!literal) compile_unicode(root, source);
  if (!literal && facts_.required.size() >= kMinRequired) required_ = facts_.required;
  if (const Clause* clause = best_clause(facts_.clauses)) {
    finder_ = LiteralFinder(*clause, facts_.is_loose);
  }
  cut_points_ = CutPoints(facts_.ascii);
}

Pattern::~Pattern() = default;

void Pattern::compile(std::string_view pattern, const std::string& source, bool literal,
                      bool ignore_case) {
  RE2::Options options = quiet_options();
  options.set_literal(literal);
  options.set_case_sensitive(!ignore_case);
  const std::string text = literal ? source : std::string(kMultiLine) + source;
  re2_ = std::make_unique<RE2>(Re2Piece(text.data(), text.size()), options);
  if (!re2_->ok()) refuse(*re2_, pattern);
  cost_ = static_cast<std::size_t>(re2_->ProgramSize());
  if (cost_ > kMaxProgram) {
    too_costly("its program has " + std::to_string(cost_) + " steps, expected at most " +
               std::to_string(kMaxProgram) + "; use smaller repetitions");
  }
}

void Pattern::compile_unicode(const std::optional<PatternNode>& root, std::string_view source) {
  if (!root) {  // nothing is known of it
    if (!mentions_words(source)) return;
    fail(ErrorCode::kUnsupported,
         "pattern not supported: \\b, \\w, \\d, \\s and [:names:] of classes cannot stand beside "
         "\\C or in more than 200 nested groups; write the pattern without these");
  }
  if (facts_.foreign == kNoForeign) return;
  auto program = std::make_unique<UnicodeProgram>(*root, kMaxProgram);
  cost_ = std::max(cost_, program->code().size());
  unicode_ = std::move(program);
  const std::string loose = std::string(kMultiLine) + loose_form(*root);
  loose_ = std::make_unique<RE2>(Re2Piece(loose.data(), loose.size()), quiet_options());
  if (!loose_->ok()) loose_.reset();
}

bool Pattern::needs_unicode(std::string_view text, std::size_t from, std::size_t to) const {
  if (!unicode_) return false;
  from = from == 0 ? 0 : boundary_before(text, from - 1);
  to = to == text.size() ? to : boundary_after(text, to + 1);
  return has_foreign(text, from, to, facts_.foreign);
}

bool Pattern::find(std::string_view text, std::size_t from, std::size_t to, bool unicode,
                   Span& match) const {
  if (unicode) {
    Span loose{from, to};
    if (loose_ && !find_re2(*loose_, text, from, to, loose)) return false;
    from = boundary_before(text, loose.begin);
    UnicodeMatch found;
    if (!find_unicode(*unicode_, text, from, to, found)) return false;
    match = {found.begin, found.end};
    return true;
  }
  if (!re2_) {
    match.begin = find_text(text, from, to, plain_);
    if (match.begin == std::string_view::npos) return false;
    match.end = match.begin + plain_.size();
    return true;
  }
  return find_re2(*re2_, text, from, to, match);
}

}  // namespace knarr
