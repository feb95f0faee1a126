// Reads a pattern of RE2's syntax sign by sign: characters, numbers, escapes, repetitions.
#pragma once

#include <cstdint>
#include <string_view>

namespace knarr {

// Thrown where it is not sure what a pattern means: nothing is known of it then.
struct UnknownSyntax {};

class PatternCursor {
 public:
  explicit PatternCursor(std::string_view pattern) : pattern_(pattern) {}

  bool done() const { return at_ >= pattern_.size(); }
  std::size_t at() const { return at_; }
  void set_at(std::size_t at) { at_ = at; }
  // What stands `ahead` bytes further on; NUL behind the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool starts(std::string_view text) const { return pattern_.substr(at_, text.size()) == text; }
  bool skip(std::string_view text);
  std::string_view pattern() const { return pattern_; }

  char take();
  char32_t take_character();
  // What stands before `end`, which is passed over.
  std::string_view take_until(std::string_view end);

  // Behind a backslash: a character by name or number, or a sign that stands for itself.
  char32_t escaped_character();

  // `*`, `{2,5}` and the like, lazy or not. False when nothing is repeated: once, then.
  bool read_repetition(std::uint32_t& least, std::uint32_t& most);
  // Whether an operator that repeats stands at a byte of the pattern.
  bool repeats_at(std::size_t at) const;

 private:
  bool read_bounds(std::uint32_t& least, std::uint32_t& most);
  bool read_number(std::uint32_t& number);
  char32_t hexadecimal();

  const std::string_view pattern_;
  std::size_t at_ = 0;
};

}  // namespace knarr
