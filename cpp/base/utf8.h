// UTF-8: where characters begin, and whether bytes are text at all.
#pragma once

#include <cstddef>
#include <string_view>

namespace knarr {

// True for every byte but the second to fourth of a character.
inline bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

// The nearest character boundary at or before `at`, and at or after it. at <= text.size().
inline std::size_t boundary_before(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && !begins_character(text[at])) --at;
  return at;
}
inline std::size_t boundary_after(std::string_view text, std::size_t at) {
  while (at < text.size() && !begins_character(text[at])) ++at;
  return at;
}

// The offset of the first byte that is not part of a well-formed character (no surrogates, no
// overlong forms, nothing above U+10FFFF); text.size() when all is well.
std::size_t first_invalid_utf8(std::string_view text);

inline bool is_utf8(std::string_view text) { return first_invalid_utf8(text) == text.size(); }

}  // namespace knarr
