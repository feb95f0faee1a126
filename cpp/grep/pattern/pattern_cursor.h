// PatternCursor: a position in a pattern of RE2's syntax, and the tokens that can be read there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace knarr {

// Without an upper bound, as a number of repetitions or of bytes.
inline constexpr std::uint32_t kUnbounded = 0xFFFF'FFFFu;

// How often an item is to be matched.
struct Repetition {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
  bool is_lazy = false;  // the fewest first
};

// Thrown where the meaning of a pattern is not certain. The reader of the pattern then gives up.
struct UnknownSyntax {};

class PatternCursor {
 public:
  explicit PatternCursor(std::string_view pattern) : pattern_(pattern) {}

  std::string_view pattern() const { return pattern_; }
  bool done() const { return at_ >= pattern_.size(); }
  std::size_t at() const { return at_; }
  void set_at(std::size_t at) { at_ = at; }
  // The byte `ahead` bytes further on; NUL behind the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view text) const { return pattern_.substr(at_, text.size()) == text; }
  // Passes over `text` if it comes next.
  bool skip(std::string_view text);

  // The next byte, the next character; these throw UnknownSyntax at the end of the pattern.
  char take();
  char32_t take_character();
  // The text up to `end`, which is passed over too.
  std::string_view take_until(std::string_view end);

  // The character that is escaped by the backslash just read: by its name, by its number, or a sign
  // that stands for itself.
  char32_t escaped_character();

  // `*`, `{2,5}` and the like, lazy or not. False when there is no repetition: once, then.
  bool read_repetition(Repetition& times);
  // Whether an operator of repetition may begin at a byte of the pattern.
  bool repeats_at(std::size_t at) const;

 private:
  bool read_bounds(Repetition& times);
  bool read_number(std::uint32_t& number);
  char32_t hexadecimal();

  const std::string_view pattern_;
  std::size_t at_ = 0;
};

}  // namespace knarr
