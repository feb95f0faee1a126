// The reference for grep: a backtracking matcher over one block, character by character.
//
// It shares neither code nor ideas with the engine's grep. Patterns are trees made by a generator,
// and only printed for the engine; the text is a list of characters, in which each line end is one
// '\n' whatever its bytes; and every rule of grep.h is applied as it is written there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace knarr::reference {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  enum Type {
    kChar,
    kAny,
    kClass,
    kNamed,
    kLineBegin,
    kLineEnd,
    kTextEnd,
    kWord,
    kNotWord,
    kAll,
    kEither,
    kRepeat
  };
  Type type;
  std::string text;            // kChar: the character; kClass: its members; kNamed: `w`, `d` or `s`
  bool negated = false;        // kClass, kNamed
  std::vector<NodePtr> parts;  // kAll: in order; kEither: by preference; kRepeat: one
  int least = 0, most = 0;     // kRepeat; most < 0: no bound
  bool lazy = false;           // kRepeat
};

// One character of the text; a line end is "\n" whatever its bytes are.
struct Unit {
  std::string text;
  std::uint32_t begin, end;
};

inline std::vector<Unit> units_of(std::string_view text) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t n = 1;
    if (text.substr(i, 2) == "\r\n") n = 2;
    while (i + n < text.size() && (text[i + n] & 0xC0) == 0x80) ++n;
    const bool line_end = text[i] == '\r' || text[i] == '\n';
    units.push_back({line_end ? "\n" : std::string(text.substr(i, n)),
                     static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + n)});
    i += n;
  }
  return units;
}

// The words, digits and spaces among the characters of the tests: a letter of each kind, a mark, a
// number that is no digit, a digit of another script, and signs that are neither.
inline bool is_in(char name, const std::string& character) {
  const auto among = [&](const std::vector<std::string>& known) {
    return std::find(known.begin(), known.end(), character) != known.end();
  };
  switch (name) {
    case 'd':
      return among({"7", "٣"});
    case 's':
      return among({" ", "\n", "\u00A0", "\u2003"});
    default:
      return among(
          {"a", "b", "c", "Q", "Z", "7", "_", "é", "ü", "ж", "ß", "\u0301", "٣", "²", "日"});
  }
}

// Matches inside units below `high`; anchors and word boundaries see all units.
class Matcher {
 public:
  Matcher(const std::vector<Unit>& units, std::size_t high) : units_(units), high_(high) {}

  // The end of the match that begins at `at`, or -1.
  long match(const Node& node, std::size_t at) const {
    long end = -1;
    step(node, at, [&](std::size_t to) {
      end = static_cast<long>(to);
      return true;
    });
    return end;
  }

 private:
  using Next = std::function<bool(std::size_t)>;

  bool is_word(std::size_t at) const { return at < units_.size() && is_in('w', units_[at].text); }
  bool at_word_border(std::size_t at) const { return (at > 0 && is_word(at - 1)) != is_word(at); }

  bool step(const Node& node, std::size_t at, const Next& next) const {
    const bool more = at < high_;
    switch (node.type) {
      case Node::kChar:
        return more && units_[at].text == node.text && next(at + 1);
      case Node::kAny:
        return more && units_[at].text != "\n" && next(at + 1);
      case Node::kClass:
        return more && (node.text.find(units_[at].text) != std::string::npos) != node.negated &&
               next(at + 1);
      case Node::kNamed:
        return more && is_in(node.text[0], units_[at].text) != node.negated && next(at + 1);
      case Node::kLineBegin:
        return (at == 0 || units_[at - 1].text == "\n") && next(at);
      case Node::kLineEnd:
        return (at == units_.size() || units_[at].text == "\n") && next(at);
      case Node::kTextEnd:
        return at == units_.size() && next(at);
      case Node::kWord:
        return at_word_border(at) && next(at);
      case Node::kNotWord:
        return !at_word_border(at) && next(at);
      case Node::kAll:
        return all(node, 0, at, next);
      case Node::kEither:
        for (const auto& part : node.parts) {
          if (step(*part, at, next)) return true;
        }
        return false;
      case Node::kRepeat:
        return repeat(node, 0, at, next);
    }
    return false;
  }

  bool all(const Node& node, std::size_t i, std::size_t at, const Next& next) const {
    if (i == node.parts.size()) return next(at);
    return step(*node.parts[i], at, [&](std::size_t to) { return all(node, i + 1, to, next); });
  }

  bool repeat(const Node& node, int done, std::size_t at, const Next& next) const {
    const auto again = [&] {
      return (node.most < 0 || done < node.most) && step(*node.parts[0], at, [&](std::size_t to) {
               return repeat(node, done + 1, to, next);
             });
    };
    if (done < node.least) return again();
    return node.lazy ? next(at) || again() : again() || next(at);
  }

  const std::vector<Unit>& units_;
  const std::size_t high_;
};

struct Found {
  std::uint32_t begin_byte, end_byte;
  bool operator==(const Found&) const = default;
};

// All matches in the run of bytes [begin, end). A character belongs to the run that contains its
// last byte, which matters for a CRLF that is cut in two.
inline std::vector<Found> find_all(const Node& pattern, std::string_view text, std::uint32_t begin,
                                   std::uint32_t end) {
  const auto units = units_of(text);
  std::size_t low = 0;
  while (low < units.size() && units[low].end <= begin) ++low;
  std::size_t high = low;
  while (high < units.size() && units[high].end <= end) ++high;
  const Matcher matcher(units, high);
  const auto byte = [&](std::size_t at) {
    return at < units.size() ? units[at].begin : static_cast<std::uint32_t>(text.size());
  };
  const bool ends_line = !units.empty() && units.back().text == "\n";

  std::vector<Found> found;
  long last_end = -1;
  for (std::size_t at = low; at <= high && low < high;) {
    const long to = matcher.match(pattern, at);
    if (to < 0) {
      ++at;
    } else if (static_cast<std::size_t>(to) > at) {
      found.push_back({std::max(byte(at), begin), units[to - 1].end});
      last_end = to;
      at = static_cast<std::size_t>(to);
    } else {
      // An empty match belongs to the character behind it, which must be in the run; at the end of
      // the text it belongs to the last line, if that has no line end.
      const bool ours = at < high || (at == units.size() && !ends_line);
      if (ours && to != last_end)
        found.push_back({std::max(byte(at), begin), std::max(byte(at), begin)});
      ++at;
    }
  }
  return found;
}

// Random patterns. No repeated part matches the empty text: matchers differ there.
class Generator {
 public:
  explicit Generator(std::mt19937& random, bool has_words = false)
      : random_(random), has_words_(has_words) {}

  NodePtr pattern() { return either(2); }

 private:
  unsigned pick(unsigned n) { return random_() % n; }
  static NodePtr make(Node node) { return std::make_shared<const Node>(std::move(node)); }

  NodePtr solid() {  // matches one character
    static const char* const chars[] = {"a", "b", "c", " ", "é", "\n"};
    if (has_words_ && pick(2) == 0) return of_words();
    switch (pick(6)) {
      case 0:
        return make({Node::kAny, "", false, {}});
      case 1:
        return make({Node::kClass, pick(2) ? "ab" : "a\n", pick(2) == 0, {}});
      default:
        return make({Node::kChar, chars[pick(6)], false, {}});
    }
  }
  NodePtr of_words() {
    static const char* const members[] = {"ü", "ж", "_", "\u0301", "٣", "7", "😀", "’"};
    static const char* const names[] = {"w", "w", "d", "s"};
    if (pick(2) == 0) return make({Node::kChar, members[pick(8)], false, {}});
    return make({Node::kNamed, names[pick(4)], pick(3) == 0, {}});
  }
  NodePtr edge() {
    if (has_words_ && pick(2) == 0) return make({Node::kWord, "", false, {}});
    static const Node::Type types[] = {Node::kLineBegin, Node::kLineEnd, Node::kLineEnd,
                                       Node::kTextEnd,   Node::kWord,    Node::kNotWord};
    return make({types[pick(6)], "", false, {}});
  }
  NodePtr repeated(NodePtr part) {
    static const std::pair<int, int> bounds[] = {{0, -1}, {1, -1}, {0, 1}, {2, 3}};
    const auto [least, most] = bounds[pick(4)];
    return make({Node::kRepeat, "", false, {std::move(part)}, least, most, pick(3) == 0});
  }
  NodePtr solid_either() {
    return make(
        {Node::kEither, "", false, {make({Node::kAll, "", false, {solid(), solid()}}), solid()}});
  }
  NodePtr item(int depth) {
    switch (pick(8)) {
      case 0:
      case 1:
        return repeated(solid());
      case 2:
        return edge();
      case 3:
        return depth > 0 ? either(depth - 1) : solid();
      case 4:
        return repeated(solid_either());
      default:
        return solid();
    }
  }
  NodePtr all(int depth) {
    Node node{Node::kAll, "", false, {}};
    for (unsigned n = 1 + pick(3); n > 0; --n) node.parts.push_back(item(depth));
    return make(std::move(node));
  }
  NodePtr either(int depth) {
    Node node{Node::kEither, "", false, {}};
    for (unsigned n = 1 + (pick(3) == 0); n > 0; --n) node.parts.push_back(all(depth));
    return make(std::move(node));
  }

  std::mt19937& random_;
  const bool has_words_;
};

// The pattern in RE2's syntax.
inline std::string print(const Node& node) {
  const auto escaped = [](std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\\n") : std::string(1, c);
    return out;
  };
  std::string out;
  switch (node.type) {
    case Node::kChar:
      return escaped(node.text);
    case Node::kAny:
      return ".";
    case Node::kClass:
      return (node.negated ? "[^" : "[") + escaped(node.text) + "]";
    case Node::kNamed: {
      const char name = node.negated ? static_cast<char>(node.text[0] - 32) : node.text[0];
      return std::string("\\") + name;
    }
    case Node::kLineBegin:
      return "^";
    case Node::kLineEnd:
      return "$";
    case Node::kTextEnd:
      return "\\z";
    case Node::kWord:
      return "\\b";
    case Node::kNotWord:
      return "\\B";
    case Node::kAll:
      for (const auto& part : node.parts) out += print(*part);
      return out;
    case Node::kEither:
      for (const auto& part : node.parts) out += (out.empty() ? "" : "|") + print(*part);
      return "(?:" + out + ")";
    case Node::kRepeat: {
      const std::string bound = node.most < 0    ? (node.least == 0 ? "*" : "+")
                                : node.most == 1 ? "?"
                                                 : "{" + std::to_string(node.least) + "," +
                                                       std::to_string(node.most) + "}";
      return "(?:" + print(*node.parts[0]) + ")" + bound + (node.lazy ? "?" : "");
    }
  }
  return out;
}

}  // namespace knarr::reference
