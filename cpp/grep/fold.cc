#include "grep/fold.h"

namespace knarr {

std::string folded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (FoldedBytes bytes(text, 0); !bytes.done();) out += static_cast<char>(bytes.next());
  return out;
}

std::optional<std::vector<char32_t>> case_forms(char32_t letter) {
  const auto in = [letter](char32_t low, char32_t high) { return low <= letter && letter <= high; };
  // Kana, CJK and Hangul have no case.
  if (in(0x3041, 0x9FFF) || in(0xAC00, 0xD7A3)) return {{letter}};
  return std::nullopt;
}

void append_utf8(std::string& out, char32_t character) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | ((character >> shift) & 0x3F));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xC0 | (character >> 6));
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xE0 | (character >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (character >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace knarr
