#include "grep/pattern/syntax.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <utility>

namespace knarr {
namespace {

constexpr int kMaxDepth = 200;  // of nested groups

using Type = PatternNode::Type;

// A recursive-descent parser: alternation, sequence, repetition, single item.
class PatternParser {
 public:
  PatternParser(std::string_view pattern, bool ignore_case) : in_(pattern) {
    flags_.folds_case = ignore_case;
  }

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
    Repetition times;
    if (!in_.read_repetition(times)) {
      append(sequence, std::move(item));
      return;
    }
    Repetition again;
    if (times.least > times.most || in_.read_repetition(again)) throw UnknownSyntax{};
    PatternNode repeated;
    repeated.type = Type::kRepetition;
    repeated.least = times.least;
    repeated.most = times.most;
    repeated.is_lazy = times.is_lazy != flags_.swaps_greed;
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
        flags_.folds_case = on;
      } else if (flag == 's') {
        flags_.dot_matches_line_ends = on;
      } else if (flag == 'm') {
        flags_.anchors_are_of_lines = on;
      } else if (flag == 'U') {
        flags_.swaps_greed = on;
      } else {
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
        return empty(flags_.anchors_are_of_lines ? Assertion::kLineBegin : Assertion::kTextBegin);
      case '$':
        return empty(flags_.anchors_are_of_lines ? Assertion::kLineEnd : Assertion::kTextEnd);
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
    const Flags flags = flags_;
    if (in_.skip("?")) {
      if (in_.skip("P<") || in_.skip("<")) {
        in_.take_until(">");
      } else {
        set_flags(in_.take_until(":"));
      }
    }
    PatternNode inside = parse_alternation();
    if (!in_.skip(")")) throw UnknownSyntax{};
    flags_ = flags;
    return inside;
  }

  // --- Characters --------------------------------------------------------------------------------

  PatternNode parse_escape() {
    constexpr std::string_view named_classes = "dswDSWpP";
    const char c = in_.peek();
    const Assertion assertion = assertion_of(c);
    if (assertion != Assertion::kNone) {
      in_.take();
      return empty(assertion);
    }
    if (named_classes.find(c) == std::string_view::npos) return character(in_.escaped_character());
    Class one;
    one.exact.rest = add_named_class(one);
    return one_of(std::move(one));
  }

  static Assertion assertion_of(char escape) {
    switch (escape) {
      case 'A':
        return Assertion::kTextBegin;
      case 'z':
        return Assertion::kTextEnd;
      case 'b':
        return Assertion::kWordEdge;
      case 'B':
        return Assertion::kNoWordEdge;
      default:
        return Assertion::kNone;
    }
  }

  // A class as bounds and exactly.
  struct Class {
    CharacterSet set;
    ExactClass exact;
  };

  // Returns the class as it is written when RE2 reads it as we do.
  std::string add_named(Class& to, std::string_view name, bool negated) const {
    const bool ignores_case = flags_.folds_case && (name == "lower" || name == "upper");
    const UnicodeClass* kind = ignores_case ? &cased_class() : unicode_class(name);
    const auto ascii = posix_class(ignores_case ? "alpha" : name);
    if (!ascii) throw UnknownSyntax{};
    // With case folded, s and k stand for the long s and the Kelvin sign too.
    to.set.add_class(*ascii, negated, kind != nullptr || flags_.folds_case);
    if (kind == nullptr) return (negated ? "[:^" : "[:") + std::string(name) + ":]";
    to.exact.named.push_back({kind, negated});
    return {};
  }

  // Behind a backslash: `d`, `pL`, `P{Greek}` and so on. A property, too, is returned as it is
  // written.
  std::string add_named_class(Class& to) {
    const std::size_t begin = in_.at();
    const char name = in_.take();
    if (name != 'p' && name != 'P') {
      const bool negated = std::isupper(static_cast<unsigned char>(name)) != 0;
      const char plain = static_cast<char>(name | 0x20);
      return add_named(to, plain == 'd' ? "digit" : plain == 's' ? "space" : "word", negated);
    }
    if (in_.skip("{")) {
      in_.take_until("}");
    } else {
      in_.take_character();
    }
    to.set.add_unknown();
    return "\\" + std::string(in_.pattern().substr(begin, in_.at() - begin));
  }

  PatternNode parse_class() {
    Class one;
    one.exact.negated = in_.skip("^");
    std::string items;
    for (bool first = true; first || in_.peek() != ']'; first = false) items += add_class_item(one);
    in_.take();
    if (one.exact.negated) one.set.negate();
    if (!items.empty()) one.exact.rest = "[" + items + "]";
    return one_of(std::move(one));
  }

  // Returns the item, unless it is a class of Unicode, in a form that means the same in any place.
  std::string add_class_item(Class& to) {
    if (in_.skip("[:")) {
      const bool negated = in_.skip("^");
      return add_named(to, in_.take_until(":]"), negated);
    }
    constexpr std::string_view named_classes = "dswDSWpP";
    if (in_.starts("\\") && named_classes.find(in_.peek(1)) != std::string_view::npos) {
      in_.take();
      return add_named_class(to);
    }
    const char32_t low = class_character();
    char32_t high = low;
    if (in_.starts("-") && in_.peek(1) != ']') {
      in_.take();
      high = class_character();
    }
    to.set.add(low, high);
    return low == high ? escaped(low) : escaped(low) + "-" + escaped(high);
  }

  static std::string escaped(char32_t c) {
    char text[16];
    std::snprintf(text, sizeof text, "\\x{%x}", static_cast<unsigned>(c));
    return text;
  }

  char32_t class_character() {
    const char32_t c = in_.take_character();
    return c == '\\' ? in_.escaped_character() : c;
  }

  PatternNode any_character() const {
    Class any;
    any.set.add_unknown();
    if (!flags_.dot_matches_line_ends) any.set.ascii.reset('\n');
    any.exact.rest = flags_.dot_matches_line_ends ? "(?s:.)" : "[^\\n]";
    return one_of(std::move(any));
  }

  PatternNode empty_text() const {
    PatternNode node;
    node.type = Type::kText;
    node.folds_case = flags_.folds_case;
    return node;
  }

  PatternNode character(char32_t c) const {
    PatternNode node = empty_text();
    node.text = c;
    return node;
  }

  static PatternNode empty(Assertion assertion) {
    PatternNode node;
    node.assertion = assertion;
    return node;
  }

  PatternNode one_of(Class one) const {
    if (const auto single = one.set.single()) return character(*single);
    PatternNode node;
    node.type = Type::kSet;
    node.folds_case = flags_.folds_case;
    node.set = std::move(one.set);
    node.exact = std::move(one.exact);
    node.exact.folds_case = flags_.folds_case;
    return node;
  }

  struct Flags {
    bool folds_case = false;
    bool dot_matches_line_ends = false;
    bool anchors_are_of_lines = true;  // as the pattern is compiled, with (?m)
    bool swaps_greed = false;
  };

  PatternCursor in_;
  int depth_ = 0;
  Flags flags_;
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

}  // namespace knarr
