// Only what stands outside of groups, classes and alternatives and is not optional is certain to be
// in a match. The walk collects such letters into strings; whatever else comes ends the string. On
// anything whose extent it cannot tell it gives up, for then it might take syntax for text.
#include "grep/pattern/required.h"

#include <cctype>

#include "base/utf8.h"

namespace knarr {
namespace {

class RequiredWalk {
 public:
  explicit RequiredWalk(std::string_view pattern) : pattern_(pattern) {}

  std::string walk() {
    while (at_ < pattern_.size()) {
      if (!step()) return {};
    }
    end_text();
    return longest_;
  }

 private:
  bool starts(std::string_view text) const { return pattern_.substr(at_, text.size()) == text; }

  // False in doubt, and when the pattern has alternatives: then nothing is certain.
  bool step() {
    switch (pattern_[at_]) {
      case '|':
      case ')':
        return false;
      case '(':
        return skip_group() && skip_repetition();
      case '[':
        return skip_class() && skip_repetition();
      case '.':
      case '^':
      case '$':  // an anchor may be repeated: odd, but allowed
        ++at_;
        end_text();
        return skip_repetition();
      case '\\':
        return escape();
      default:
        return letter(boundary_after(pattern_, at_ + 1) - at_);
    }
  }

  bool escape() {
    if (at_ + 1 >= pattern_.size()) return false;
    const char c = pattern_[at_ + 1];
    constexpr std::string_view two_letters = "dDwWsSnrtfvabBAz";  // these escapes are no longer
    if (two_letters.find(c) != std::string_view::npos) {
      at_ += 2;
      end_text();
      return skip_repetition();
    }
    if (static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c))) {
      return false;
    }
    ++at_;
    return letter(1);
  }

  // Text of `size` bytes, unless what follows makes it optional.
  bool letter(std::size_t size) {
    const std::string_view text = pattern_.substr(at_, size);
    at_ += size;
    const char next = at_ < pattern_.size() ? pattern_[at_] : '\0';
    if (next == '*' || next == '?' || next == '{') {
      end_text();
      return skip_repetition();
    }
    text_.append(text);
    if (next != '+') return true;
    end_text();
    return skip_repetition();
  }

  bool skip_repetition() {
    if (at_ >= pattern_.size()) return true;
    if (starts("{")) {
      const std::size_t end = pattern_.find_first_not_of("0123456789,", at_ + 1);
      if (end == std::string_view::npos || pattern_[end] != '}') return false;
      at_ = end + 1;
    } else if (starts("*") || starts("+") || starts("?")) {
      ++at_;
    } else {
      return true;
    }
    if (starts("?")) ++at_;  // lazy
    return true;
  }

  bool skip_class() {
    end_text();
    at_ += starts("[^") ? 2 : 1;
    for (bool first = true; at_ < pattern_.size(); first = false) {
      if (starts("]") && !first) {
        ++at_;
        return true;
      }
      if (starts("[:")) {
        const std::size_t end = pattern_.find(":]", at_);
        if (end == std::string_view::npos) return false;
        at_ = end + 2;
      } else {
        at_ += starts("\\") ? 2 : 1;
      }
    }
    return false;
  }

  bool skip_group() {
    end_text();
    if (starts("(?") && !starts("(?:") && !starts("(?P<"))
      return false;  // flags change what follows
    ++at_;
    for (int depth = 1; at_ < pattern_.size();) {
      if (starts("[")) {
        if (!skip_class()) return false;
        continue;
      }
      if (starts("\\Q")) return false;
      depth += starts("(") ? 1 : starts(")") ? -1 : 0;
      at_ += starts("\\") ? 2 : 1;
      if (depth == 0) return true;
    }
    return false;
  }

  void end_text() {
    if (text_.size() > longest_.size()) longest_ = text_;
    text_.clear();
  }

  const std::string_view pattern_;
  std::size_t at_ = 0;
  std::string text_;
  std::string longest_;
};

}  // namespace

std::string required_text(std::string_view pattern) { return RequiredWalk(pattern).walk(); }

}  // namespace knarr
