// Word characters are looked up in a bitmap of pages, each made when it is first needed. The others
// are asked for rarely (unicode_matcher.h remembers the answers), and RE2 tells.
#include "grep/pattern/unicode_classes.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "grep/pattern/character_set.h"
#include "grep/pattern/fold.h"

namespace knarr {
namespace {

constexpr char32_t kCharacters = 0x110000;
constexpr char32_t kPage = 512;

constexpr const char* kWordMembers = "[\\pL\\pM\\pN\\p{Pc}\\x{200c}\\x{200d}]";
constexpr const char* kSpaceMembers =
    "[\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}]";

constexpr std::array<UnicodeClass, 12> kClasses{{
    {"word", kWordMembers, kForeignWords},
    {"digit", "\\p{Nd}", kForeignWords},
    {"space", kSpaceMembers, kForeignSpaces},
    {"alpha", "[\\pL\\pM]", kForeignWords},
    {"alnum", "[\\pL\\pM\\pN]", kForeignWords},
    {"lower", "\\p{Ll}", kForeignWords},
    {"upper", "\\p{Lu}", kForeignWords},
    {"punct", "\\pP", kAnyForeign},
    {"blank", "\\p{Zs}", kForeignSpaces},
    {"graph", "[\\pL\\pM\\pN\\pP\\pS]", kAnyForeign},
    {"print", "[\\pL\\pM\\pN\\pP\\pS\\p{Zs}]", kAnyForeign},
    {"cntrl", "\\p{Cc}", kAnyForeign},
}};

constexpr UnicodeClass kCased{"cased", "[\\p{Ll}\\p{Lu}\\p{Lt}]", kForeignWords};

bool is_one_of(const RE2& members, char32_t c) {
  std::string text;
  append_utf8(text, c);
  return RE2::FullMatch(text, members);
}

// RE2's form of a class; made once and kept.
const RE2& compiled(const char* members) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<const char*, std::unique_ptr<RE2>>;
  const std::lock_guard lock(mutex);
  auto& found = known[members];
  if (!found) found = std::make_unique<RE2>(members);
  return *found;
}

using WordPage = std::bitset<kPage>;

const WordPage* make_page(char32_t first) {
  auto* page = new WordPage;
  const RE2& words = compiled(kWordMembers);
  for (char32_t i = 0; i < kPage; ++i) {
    const char32_t c = first + i;
    if (c < 0xD800 || c > 0xDFFF) page->set(i, is_one_of(words, c));
  }
  return page;
}

bool is_foreign_word(char32_t c) {
  static auto& pages = *new std::array<std::atomic<const WordPage*>, kCharacters / kPage>{};
  if (c >= kCharacters) return false;
  std::atomic<const WordPage*>& slot = pages[c / kPage];
  const WordPage* page = slot.load(std::memory_order_acquire);
  if (page == nullptr) {
    const WordPage* made = make_page(c / kPage * kPage);
    if (slot.compare_exchange_strong(page, made, std::memory_order_acq_rel)) {
      page = made;
    } else {
      delete made;  // another thread was first
    }
  }
  return page->test(c % kPage);
}

bool is_foreign_space(char32_t c) {
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool may_begin_space(char byte) {
  const auto lead = static_cast<unsigned char>(byte);
  return lead == 0xC2 || (lead >= 0xE1 && lead <= 0xE3);
}

// The first byte in [at, to) that is not ASCII; 32 are checked at once.
std::size_t skip_ascii(std::string_view text, std::size_t at, std::size_t to) {
  constexpr std::size_t step = 32;
  for (; at + step <= to; at += step) {
    std::array<std::uint64_t, step / 8> words;
    std::memcpy(words.data(), text.data() + at, step);
    if (((words[0] | words[1] | words[2] | words[3]) & 0x8080'8080'8080'8080u) != 0) break;
  }
  while (at < to && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

bool UnicodeClass::contains(char32_t c) const {
  if (c < 0x80) return posix_class(this == &kCased ? "alpha" : name_)->test(c);
  if (members_ == kWordMembers) return is_foreign_word(c);
  if (members_ == kSpaceMembers) return is_foreign_space(c);
  return is_one_of(compiled(members_), c);
}

const UnicodeClass* unicode_class(std::string_view name) {
  const auto found = std::ranges::find(kClasses, name, &UnicodeClass::name);
  return found == kClasses.end() ? nullptr : &*found;
}

const UnicodeClass& cased_class() { return kCased; }

bool is_word(char32_t c) {
  static const AsciiSet ascii = perl_class('w');
  return c < 0x80 ? ascii[c] : is_foreign_word(c);
}

bool has_foreign(std::string_view text, std::size_t from, std::size_t to, unsigned kinds) {
  if (kinds == kNoForeign) return false;
  if ((kinds & kForeignSpaces) != 0 && to > from &&
      std::memchr(text.data() + from, '\v', to - from) != nullptr) {
    return true;
  }
  for (std::size_t at = skip_ascii(text, from, to); at < to; at = skip_ascii(text, at, to)) {
    if (kinds == kAnyForeign) return true;
    if (kinds == kForeignSpaces && !may_begin_space(text[at])) {
      ++at;
      continue;
    }
    const char32_t c = next_character(text, at);
    if ((kinds & kForeignWords) != 0 && is_foreign_word(c)) return true;
    if ((kinds & kForeignSpaces) != 0 && is_foreign_space(c)) return true;
  }
  return false;
}

char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  char32_t c = lead >= 0xF0 ? lead & 0x07 : lead >= 0xE0 ? lead & 0x0F : lead & 0x1F;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
    c = (c << 6) | (static_cast<unsigned char>(text[at++]) & 0x3F);
  }
  return c;
}

}  // namespace knarr
