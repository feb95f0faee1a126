#include "grep/pattern/syntax.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace knarr {
namespace {

constexpr int kMaxDepth = 200;  // of nested groups

using Type = PatternNode::Type;

// A recursive-descent parser: alternation, sequence, repetition, single item.
class PatternParser {
 public:
  PatternParser(std::string_view pattern, bool ignore_case)
      : in_(pattern), folds_case_(ignore_case) {}

  PatternNode parse() {
    PatternNode root = parse_alternation();
    if (!in_.done()) throw UnknownSyntax{};
    return root;
  }

  PatternNode parse_text() {
    PatternNode node = empty_text();
    while (!in_.done()) node.text += in_.take_character();
    return node;
  }

 private:
  // --- Structure ---------------------------------------------------------------------------------

  PatternNode parse_alternation() {
    if (++depth_ > kMaxDepth) throw UnknownSyntax{};
    PatternNode node;
    node.type = Type::kAlternation;
    do {
      node.parts.push_back(parse_sequence());
    } while (in_.skip("|"));
    --depth_;
    if (node.parts.size() > 1) return node;
    PatternNode only = std::move(node.parts.front());
    return only;
  }

  PatternNode parse_sequence() {
    PatternNode sequence;
    sequence.type = Type::kSequence;
    while (!in_.done() && in_.peek() != '|' && in_.peek() != ')') {
      if (in_.skip("\\Q")) {
        parse_quoted(sequence);
      } else if (!parse_flags()) {
        add_repeated(sequence, parse_item());
      }
    }
    return sequence;
  }

  // Text up to `\E`; an operator behind it repeats the last character.
  void parse_quoted(PatternNode& sequence) {
    const std::size_t end = std::min(in_.pattern().find("\\E", in_.at()), in_.pattern().size());
    if (in_.at() == end && in_.repeats_at(end + 2)) throw UnknownSyntax{};
    while (in_.at() < end) {
      PatternNode one = character(in_.take_character());
      if (in_.at() < end) {
        append(sequence, std::move(one));
      } else {
        in_.skip("\\E");
        add_repeated(sequence, std::move(one));
        return;
      }
    }
    in_.skip("\\E");
  }

  void add_repeated(PatternNode& sequence, PatternNode item) {
    PatternNode repeated;
    if (!in_.read_repetition(repeated.least, repeated.most)) {
      append(sequence, std::move(item));
      return;
    }
    if (repeated.least > repeated.most) throw UnknownSyntax{};
    std::uint32_t least = 1;
    std::uint32_t most = 1;
    if (in_.read_repetition(least, most)) throw UnknownSyntax{};
    repeated.type = Type::kRepetition;
    repeated.parts.push_back(std::move(item));
    sequence.parts.push_back(std::move(repeated));
  }

  // Text that follows text becomes one node.
  static void append(PatternNode& sequence, PatternNode item) {
    if (item.type == Type::kText && !sequence.parts.empty()) {
      PatternNode& last = sequence.parts.back();
      if (last.type == Type::kText && last.folds_case == item.folds_case) {
        last.text += item.text;
        return;
      }
    }
    sequence.parts.push_back(std::move(item));
  }

  // `(?i)` holds up to the end of the group that it stands in.
  bool parse_flags() {
    if (!in_.starts("(?") || in_.starts("(?:") || in_.starts("(?P<") || in_.starts("(?<"))
      return false;
    const std::size_t end = in_.pattern().find_first_of(":)", in_.at());
    if (end == std::string_view::npos) throw UnknownSyntax{};
    if (in_.pattern()[end] == ':') return false;
    in_.skip("(?");
    set_flags(in_.pattern().substr(in_.at(), end - in_.at()));
    in_.set_at(end + 1);
    if (in_.repeats_at(in_.at())) throw UnknownSyntax{};
    return true;
  }

  void set_flags(std::string_view flags) {
    bool on = true;
    for (const char flag : flags) {
      if (flag == '-') {
        on = false;
      } else if (flag == 'i') {
        folds_case_ = on;
      } else if (flag == 's') {
        dot_matches_line_ends_ = on;
      } else if (flag != 'm' && flag != 'U') {
        throw UnknownSyntax{};
      }
    }
  }

  PatternNode parse_item() {
    const char32_t c = in_.take_character();
    switch (c) {
      case '(':
        return parse_group();
      case '[':
        return parse_class();
      case '.':
        return any_character();
      case '^':
      case '$':
        return {};
      case '\\':
        return parse_escape();
      case '*':
      case '+':
      case '?':
        throw UnknownSyntax{};
      default:
        return character(c);
    }
  }

  PatternNode parse_group() {
    const bool folds_case = folds_case_;
    const bool dot_matches_line_ends = dot_matches_line_ends_;
    if (in_.skip("?")) {
      if (in_.skip("P<") || in_.skip("<")) {
        in_.take_until(">");
      } else {
        set_flags(in_.take_until(":"));
      }
    }
    PatternNode inside = parse_alternation();
    if (!in_.skip(")")) throw UnknownSyntax{};
    folds_case_ = folds_case;
    dot_matches_line_ends_ = dot_matches_line_ends;
    return inside;
  }

  // --- Characters --------------------------------------------------------------------------------

  PatternNode parse_escape() {
    constexpr std::string_view empty_matches = "AzbB";
    constexpr std::string_view named_classes = "dswDSWpP";
    const char c = in_.peek();
    if (empty_matches.find(c) != std::string_view::npos) {
      in_.take();
      return {};
    }
    if (named_classes.find(c) == std::string_view::npos) return character(in_.escaped_character());
    CharacterSet set;
    add_named_class(set);
    return one_of(std::move(set));
  }

  // Behind a backslash: `d`, `pL`, `P{Greek}` and so on.
  void add_named_class(CharacterSet& set) {
    const char name = in_.take();
    if (name != 'p' && name != 'P') {
      const bool negated = std::isupper(static_cast<unsigned char>(name)) != 0;
      set.add_class(perl_class(static_cast<char>(name | 0x20)), negated, folds_case_);
      return;
    }
    if (in_.skip("{")) {
      in_.take_until("}");
    } else {
      in_.take_character();
    }
    set.add_unknown();
  }

  PatternNode parse_class() {
    const bool negated = in_.skip("^");
    CharacterSet set;
    for (bool first = true; first || in_.peek() != ']'; first = false) add_class_item(set);
    in_.take();
    if (negated) set.negate();
    return one_of(std::move(set));
  }

  void add_class_item(CharacterSet& set) {
    if (in_.skip("[:")) {
      const bool negated = in_.skip("^");
      const auto known = posix_class(in_.take_until(":]"));
      if (!known) throw UnknownSyntax{};
      set.add_class(*known, negated, folds_case_);
      return;
    }
    constexpr std::string_view named_classes = "dswDSWpP";
    if (in_.starts("\\") && named_classes.find(in_.peek(1)) != std::string_view::npos) {
      in_.take();
      add_named_class(set);
      return;
    }
    const char32_t low = class_character();
    char32_t high = low;
    if (in_.starts("-") && in_.peek(1) != ']') {
      in_.take();
      high = class_character();
    }
    set.add(low, high);
  }

  char32_t class_character() {
    const char32_t c = in_.take_character();
    return c == '\\' ? in_.escaped_character() : c;
  }

  PatternNode any_character() const {
    CharacterSet set;
    set.add_unknown();
    if (!dot_matches_line_ends_) set.ascii.reset('\n');
    return one_of(std::move(set));
  }

  PatternNode empty_text() const {
    PatternNode node;
    node.type = Type::kText;
    node.folds_case = folds_case_;
    return node;
  }

  PatternNode character(char32_t c) const {
    PatternNode node = empty_text();
    node.text = c;
    return node;
  }

  PatternNode one_of(CharacterSet set) const {
    if (const auto single = set.single()) return character(*single);
    PatternNode node;
    node.type = Type::kSet;
    node.folds_case = folds_case_;
    node.set = std::move(set);
    return node;
  }

  PatternCursor in_;
  int depth_ = 0;
  bool folds_case_;
  bool dot_matches_line_ends_ = false;
};

}  // namespace

std::optional<PatternNode> parse_pattern(std::string_view pattern, bool ignore_case) {
  try {
    return PatternParser(pattern, ignore_case).parse();
  } catch (const UnknownSyntax&) {
    return std::nullopt;
  }
}

PatternNode text_node(std::string_view text, bool ignore_case) {
  return PatternParser(text, ignore_case).parse_text();
}

bool is_plain_text(std::string_view pattern) {
  return pattern.find_first_of("\\.+*?()|[]{}^$") == std::string_view::npos;
}

std::string with_plain_line_ends(std::string_view pattern) {
  std::string plain;
  plain.reserve(pattern.size());
  PatternCursor in(pattern);
  const auto copy = [&](std::size_t end) {
    plain.append(pattern.substr(in.at(), end - in.at()));
    in.set_at(std::min(end, pattern.size()));
  };
  while (!in.done()) {
    if (in.starts("\\Q")) {  // quoted text stays as it is
      copy(std::min(pattern.find("\\E", in.at()), pattern.size()));
    } else if (in.skip("\\r\\n")) {
      plain += "\\n";
    } else {  // an escape is copied as two bytes, so that `\\r` stays a backslash and an r
      copy(in.at() + (in.starts("\\") ? 2 : 1));
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
