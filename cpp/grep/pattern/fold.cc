#include "grep/pattern/fold.h"

#include <array>
#include <utility>

namespace knarr {
namespace {

bool is_in(char32_t c, char32_t low, char32_t high) { return low <= c && c <= high; }

// Forms of a letter besides its lower and its upper case.
constexpr std::array<std::pair<char32_t, char32_t>, 24> kMoreForms{{
    {0x212B, 0xE5},  {0x1E9E, 0xDF},  {0xB5, 0x3BC},   {0x3C2, 0x3C3},   {0x3D0, 0x3B2},
    {0x3D1, 0x3B8},  {0x3F4, 0x3B8},  {0x3D5, 0x3C6},  {0x3D6, 0x3C0},   {0x3F0, 0x3BA},
    {0x3F1, 0x3C1},  {0x3F5, 0x3B5},  {0x345, 0x3B9},  {0x1FBE, 0x3B9},  {0x2126, 0x3C9},
    {0x1C80, 0x432}, {0x1C81, 0x434}, {0x1C82, 0x43E}, {0x1C83, 0x441},  {0x1C84, 0x442},
    {0x1C85, 0x442}, {0x1C86, 0x44A}, {0x1C87, 0x463}, {0x1C88, 0xA64B},
}};

// The upper case of a lower-case letter and the reverse, for the Latin, Greek and Cyrillic letters
// in use today; 0 for any other character.
char32_t other_case(char32_t c) {
  const auto paired = [c](bool is_upper) { return is_upper ? c + 1 : c - 1; };
  const bool is_even = c % 2 == 0;
  if (c == 0xDF) return 0x1E9E;
  if (c == 0xFF) return 0x178;
  if (c == 0x178) return 0xFF;
  if (is_in(c, 0xC0, 0xDE)) return c == 0xD7 ? 0 : c + 32;
  if (is_in(c, 0xE0, 0xFE)) return c == 0xF7 ? 0 : c - 32;
  if (is_in(c, 0x100, 0x12F) || is_in(c, 0x132, 0x137) || is_in(c, 0x14A, 0x177)) {
    return paired(is_even);
  }
  if (is_in(c, 0x139, 0x148) || is_in(c, 0x179, 0x17E)) return paired(!is_even);
  if (c == 0x386) return 0x3AC;
  if (c == 0x3AC) return 0x386;
  if (is_in(c, 0x388, 0x38A)) return c + 37;
  if (is_in(c, 0x3AD, 0x3AF)) return c - 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x3CC) return 0x38C;
  if (is_in(c, 0x38E, 0x38F)) return c + 63;
  if (is_in(c, 0x3CD, 0x3CE)) return c - 63;
  if (is_in(c, 0x391, 0x3AB)) return c == 0x3A2 ? 0 : c + 32;
  if (is_in(c, 0x3B1, 0x3CB)) return c == 0x3C2 ? 0 : c - 32;
  if (is_in(c, 0x410, 0x42F)) return c + 32;
  if (is_in(c, 0x430, 0x44F)) return c - 32;
  if (is_in(c, 0x400, 0x40F)) return c + 80;
  if (is_in(c, 0x450, 0x45F)) return c - 80;
  if (is_in(c, 0x460, 0x481) || is_in(c, 0x48A, 0x4BF)) return paired(is_even);
  return 0;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (FoldedBytes bytes(text, 0); !bytes.done();) out += static_cast<char>(bytes.next());
  return out;
}

std::optional<std::vector<char32_t>> case_forms(char32_t letter) {
  // Kana, CJK and Hangul have no case.
  if (is_in(letter, 0x3041, 0x9FFF) || is_in(letter, 0xAC00, 0xD7A3)) return {{letter}};
  for (const auto& [form, lower] : kMoreForms) {
    if (letter == form) letter = lower;
  }
  const char32_t other = other_case(letter);
  if (other == 0) return std::nullopt;
  std::vector<char32_t> forms{letter, other};
  for (const auto& [form, lower] : kMoreForms) {
    if (lower == letter || lower == other) forms.push_back(form);
  }
  return forms;
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
