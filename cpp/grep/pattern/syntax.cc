#include "grep/pattern/syntax.h"

#include <algorithm>
#include <array>
#include <utility>

namespace knarr {
namespace {

bool is_punctuation(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7F && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') &&
         !(c >= 'A' && c <= 'Z');
}

// Walks a pattern and looks for anything that could match a line end. It knows just enough of the
// syntax to tell classes, groups, escapes and quoted text apart; on everything else it says "may".
class LineWalk {
 public:
  explicit LineWalk(std::string_view pattern) : rest_(pattern) {}

  bool may_cross() {
    while (!rest_.empty()) {
      const char c = take();
      if (c == '\n') return true;
      if (c == '\\' && escape_may()) return true;
      if (c == '[' && class_may()) return true;
      if (c == '(' && starts("?") && group_may()) return true;
    }
    return false;
  }

 private:
  bool starts(std::string_view text) const { return rest_.substr(0, text.size()) == text; }
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  bool escape_may() {
    if (rest_.empty()) return true;
    const char c = take();
    if (c == 'Q') {
      const std::size_t end = rest_.find("\\E");
      const auto quoted = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
      return quoted.find('\n') != std::string_view::npos;
    }
    constexpr std::string_view safe = "dwSbBAztfvar";
    return safe.find(c) == std::string_view::npos && !is_punctuation(c);
  }

  // A negated class matches a line end unless it names it; another one only if something in it can.
  bool class_may() {
    const bool negated = starts("^");
    if (negated) take();
    bool names_line_end = false;
    bool doubtful = false;
    for (bool first = true; !rest_.empty(); first = false) {
      if (starts("[:")) {
        const std::size_t end = rest_.find(":]");
        if (end == std::string_view::npos) return true;
        const auto name = rest_.substr(2, end - 2);
        doubtful |= name == "space" || name == "cntrl" || name.substr(0, 1) == "^";
        rest_.remove_prefix(end + 2);
        continue;
      }
      const char c = take();
      if (c == ']' && !first) return negated ? !names_line_end : names_line_end || doubtful;
      if (c == '\\') {
        if (rest_.empty()) return true;
        const char escaped = take();
        names_line_end |= escaped == 'n' || escaped == 's';
        doubtful |= !is_punctuation(escaped) && escaped != 'd' && escaped != 'w' && escaped != 'S';
      } else {
        names_line_end |= c == '\n';
        doubtful |= static_cast<unsigned char>(c) < '\n';  // may begin a range over the line end
      }
    }
    return true;  // never closed
  }

  // `(?flags)`, `(?flags:` or `(?P<name>`: only the flag s makes `.` match line ends.
  bool group_may() {
    take();
    if (starts("P<")) return false;
    while (!rest_.empty()) {
      const char c = take();
      if (c == 's') return true;
      if (c == ')' || c == ':') return false;
    }
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool is_plain_text(std::string_view pattern) {
  return pattern.find_first_of("\\.+*?()|[]{}^$") == std::string_view::npos;
}

bool may_cross_lines(std::string_view pattern) { return LineWalk(pattern).may_cross(); }

std::string with_plain_line_ends(std::string_view pattern) {
  std::string plain;
  plain.reserve(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\') {
      plain.push_back(pattern[i]);
    } else if (pattern.substr(i, 2) == "\\Q") {  // quoted text stays as it is
      const std::size_t end = std::min(pattern.find("\\E", i), pattern.size() - 1);
      plain.append(pattern.substr(i, end - i + 1));
      i = end;
    } else if (pattern.substr(i, 4) == "\\r\\n") {
      plain.append("\\n");
      i += 3;
    } else {  // an escape is two letters, so that `\\r` stays a backslash and an r
      plain.append(pattern.substr(i, 2));
      ++i;
    }
  }
  return plain;
}

std::string_view unsupported_construct(std::string_view pattern, std::string_view part) {
  constexpr auto npos = std::string_view::npos;
  if (part == "(?<") {  // RE2 stops before it knows which of the three it is
    if (pattern.find("(?<=") != npos || pattern.find("(?<!") != npos) return "look-behind";
    return "a named group without P: write (?P<name>...)";
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> groups{{
      {"(?=", "look-ahead"},
      {"(?!", "look-ahead"},
      {"(?>", "an atomic group"},
      {"(?#", "a comment"},
      {"(?|", "a branch reset"},
      {"(?(", "a condition"},
      {"(?R", "recursion"},
      {"(?&", "recursion"},
      {"(?P", "a back-reference or recursion by name"},
  }};
  for (const auto& [begin, name] : groups) {
    if (part == begin) return name;
  }
  if (part.size() == 2 && part[0] == '\\') {
    const char c = part[1];
    if ((c >= '1' && c <= '9') || c == 'k' || c == 'g') return "a back-reference";
    if (std::string_view("GhHKNRuXZ").find(c) != npos) return "an escape sequence";
  }
  if (part.size() == 2 && part[1] == '+' && part[0] != '{') return "a possessive repetition";
  return {};
}

}  // namespace knarr
