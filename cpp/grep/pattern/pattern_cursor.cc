#include "grep/pattern/pattern_cursor.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/utf8.h"

namespace knarr {

bool PatternCursor::skip(std::string_view text) {
  if (!starts(text)) return false;
  at_ += text.size();
  return true;
}

char PatternCursor::take() {
  if (done()) throw UnknownSyntax{};
  return pattern_[at_++];
}

char32_t PatternCursor::take_character() {
  const auto lead = static_cast<unsigned char>(take());
  if (lead < 0x80) return lead;
  char32_t c = lead >= 0xF0 ? lead & 0x07 : lead >= 0xE0 ? lead & 0x0F : lead & 0x1F;
  while (!done() && !begins_character(peek())) {
    c = (c << 6) | (static_cast<unsigned char>(take()) & 0x3F);
  }
  return c;
}

std::string_view PatternCursor::take_until(std::string_view end) {
  const std::size_t found = pattern_.find(end, at_);
  if (found == std::string_view::npos) throw UnknownSyntax{};
  const auto text = pattern_.substr(at_, found - at_);
  at_ = found + end.size();
  return text;
}

bool PatternCursor::read_repetition(Repetition& times) {
  if (skip("*")) {
    times.least = 0;
    times.most = kUnbounded;
  } else if (skip("+")) {
    times.most = kUnbounded;
  } else if (skip("?")) {
    times.least = 0;
  } else if (!read_bounds(times)) {
    return false;
  }
  times.is_lazy = skip("?");
  return true;
}

// `{2}`, `{2,}` or `{2,5}`; any other brace is plain text.
bool PatternCursor::read_bounds(Repetition& times) {
  const std::size_t begin = at_;
  if (skip("{") && read_number(times.least)) {
    times.most = times.least;
    if (skip(",")) {
      times.most = kUnbounded;
      if (peek() != '}' && !read_number(times.most)) times.most = 0;
    }
    if (skip("}")) return true;
  }
  at_ = begin;
  times = {};
  return false;
}

bool PatternCursor::read_number(std::uint32_t& number) {
  const std::size_t begin = at_;
  number = 0;
  while (peek() >= '0' && peek() <= '9') {
    number =
        std::min<std::uint32_t>(number * 10 + static_cast<std::uint32_t>(take() - '0'), 100'000);
  }
  return at_ > begin;
}

bool PatternCursor::repeats_at(std::size_t at) const {
  return at < pattern_.size() && std::string_view("*+?{").find(pattern_[at]) != std::string::npos;
}

char32_t PatternCursor::escaped_character() {
  const char32_t c = take_character();
  switch (c) {
    case 'a':
      return '\a';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case 'x':
      return hexadecimal();
    default:
      break;
  }
  if (c >= '0' && c <= '7') {
    char32_t number = c - '0';
    for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) {
      number = number * 8 + static_cast<char32_t>(take() - '0');
    }
    return number;
  }
  if (c >= 0x80 || std::isalnum(static_cast<int>(c))) throw UnknownSyntax{};
  return c;
}

char32_t PatternCursor::hexadecimal() {
  const bool braced = skip("{");
  const std::string_view digits = braced ? take_until("}") : pattern_.substr(at_, 2);
  if (!braced) at_ += digits.size();
  char32_t number = 0;
  for (const char digit : digits) {
    if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) throw UnknownSyntax{};
    const int value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
    number = std::min<char32_t>(number * 16 + static_cast<char32_t>(value), 0x110000);
  }
  if (digits.empty() || number > 0x10FFFF) throw UnknownSyntax{};
  return number;
}

}  // namespace knarr
