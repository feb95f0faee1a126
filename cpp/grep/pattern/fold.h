// Case folding: letters that differ in case only.
//
// The index folds the text that it reads: A to Z, and the two letters elsewhere whose lower case is
// ASCII (U+017F, the long s, and U+212A, the Kelvin sign). So one index serves searches that heed
// case and searches that do not; the matcher checks the case afterwards. The case of other letters
// is left as it is: a pattern that ignores case asks the index for each of their forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace knarr {

// The folded bytes of a text, from any byte on.
class FoldedBytes {
 public:
  FoldedBytes(std::string_view text, std::size_t from) : text_(text), at_(from) {}

  bool done() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }  // where in the text the next byte begins

  unsigned char next() {
    const auto byte = static_cast<unsigned char>(text_[at_++]);
    if (byte < 0x80) return unsigned{byte} - 'A' < 26u ? byte | 0x20 : byte;
    if (byte == 0xC5 && text_.substr(at_, 1) == "\xBF") {
      ++at_;
      return 's';
    }
    if (byte == 0xE2 && text_.substr(at_, 2) == "\x84\xAA") {
      at_ += 2;
      return 'k';
    }
    return byte;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

std::string folded(std::string_view text);

// The characters that a letter beyond ASCII matches when case is ignored, itself among them;
// nothing when they are not known for certain.
std::optional<std::vector<char32_t>> case_forms(char32_t letter);

// Appends a character in UTF-8.
void append_utf8(std::string& out, char32_t character);

}  // namespace knarr
