#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace knarr {
namespace {

// The length of the well-formed character at `at`, which is not ASCII; 0 when there is none.
// The second byte's range depends on the first: it shuts out overlong forms and surrogates.
std::size_t character_length(const unsigned char* at, std::size_t left) {
  const unsigned char lead = at[0];
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (left < length || at[1] < low || at[1] > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((at[i] & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8) {  // eight ASCII bytes at once
      std::uint64_t word;
      std::memcpy(&word, bytes + at, 8);
      if ((word & 0x8080808080808080u) == 0) {
        at += 8;
        continue;
      }
    }
    if (bytes[at] < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = character_length(bytes + at, text.size() - at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

}  // namespace knarr
