// A reader of RE2's syntax. RE2 has taken the pattern already, so it need not find mistakes; where
// it is not sure what something means it gives up, and nothing is known of the pattern.
#include "grep/pattern/facts.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/utf8.h"
#include "grep/pattern/characters.h"
#include "grep/pattern/fold.h"
#include "grep/pattern/pattern_cursor.h"

namespace knarr {
namespace {

constexpr int kDeepest = 200;  // groups in groups
constexpr std::uint32_t kCharacterBytes = 4;

class Reader {
 public:
  Reader(std::string_view pattern, bool ignore_case) : in_(pattern), folds_(ignore_case) {}

  Part read() {
    Part part = read_either();
    if (!in_.done()) throw UnknownSyntax{};
    return part;
  }

  bool is_loose() const { return is_loose_; }

  Part read_text() {
    Sequence all;
    while (!in_.done()) all.add(character(in_.take_character()));
    return all.finish();
  }

 private:
  // --- Structure ---------------------------------------------------------------------------------

  Part read_either() {
    if (++depth_ > kDeepest) throw UnknownSyntax{};
    std::vector<Part> parts;
    do {
      parts.push_back(read_sequence());
    } while (in_.skip("|"));
    --depth_;
    return parts.size() == 1 ? std::move(parts.front()) : either(parts);
  }

  Part read_sequence() {
    Sequence all;
    while (!in_.done() && in_.peek() != '|' && in_.peek() != ')') {
      if (in_.skip("\\Q")) {
        read_quoted(all);
      } else if (!read_flags()) {
        add_repeated(all, read_one());
      }
    }
    return all.finish();
  }

  // Quoted text; an operator behind it repeats its last character.
  void read_quoted(Sequence& all) {
    const std::size_t end = std::min(in_.pattern().find("\\E", in_.at()), in_.pattern().size());
    if (in_.at() == end && in_.repeats_at(end + 2)) throw UnknownSyntax{};
    while (in_.at() < end) {
      const Part one = character(in_.take_character());
      if (in_.at() < end) {
        all.add(one);
      } else {
        in_.skip("\\E");
        add_repeated(all, one);
        return;
      }
    }
    in_.skip("\\E");
  }
  void add_repeated(Sequence& all, const Part& part) {
    std::uint32_t least = 1;
    std::uint32_t most = 1;
    if (!in_.read_repetition(least, most)) {
      all.add(part);
      return;
    }
    if (least > most) throw UnknownSyntax{};
    std::uint32_t more_least = 1;
    std::uint32_t more_most = 1;
    if (in_.read_repetition(more_least, more_most)) throw UnknownSyntax{};
    all.add_repeated(part, least, most);
  }

  // `(?i)`: holds up to the end of the group that it stands in.
  bool read_flags() {
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
        folds_ = on;
      } else if (flag == 's') {
        dot_takes_all_ = on;
      } else if (flag != 'm' && flag != 'U') {
        throw UnknownSyntax{};
      }
    }
  }

  Part read_one() {
    const char32_t c = in_.take_character();
    switch (c) {
      case '(':
        return read_group();
      case '[':
        return read_class();
      case '.':
        return dot();
      case '^':
      case '$':
        return empty_part();
      case '\\':
        return read_escape();
      case '*':
      case '+':
      case '?':
        throw UnknownSyntax{};
      default:
        return character(c);
    }
  }

  Part read_group() {
    const bool folds = folds_;
    const bool dot_takes_all = dot_takes_all_;
    if (in_.skip("?")) {
      if (in_.skip("P<") || in_.skip("<")) {
        in_.take_until(">");
      } else {
        set_flags(in_.take_until(":"));
      }
    }
    Part part = read_either();
    if (!in_.skip(")")) throw UnknownSyntax{};
    folds_ = folds;
    dot_takes_all_ = dot_takes_all;
    return part;
  }

  // --- Characters --------------------------------------------------------------------------------

  Part read_escape() {
    const char c = in_.peek();
    switch (c) {
      case 'A':
      case 'z':
      case 'b':
      case 'B':
        in_.take();
        return empty_part();
      case 'd':
      case 's':
      case 'w':
      case 'D':
      case 'S':
      case 'W':
      case 'p':
      case 'P': {
        Characters set;
        read_named_class(set);
        return characters(set);
      }
      default:
        return character(in_.escaped_character());
    }
  }

  // Behind a backslash: `d`, `pL`, `P{Greek}` and so on.
  void read_named_class(Characters& set) {
    const char name = in_.take();
    if (name != 'p' && name != 'P') {
      const bool negated = std::isupper(static_cast<unsigned char>(name)) != 0;
      set.add_class(perl_class(static_cast<char>(name | 0x20)), negated);
      return;
    }
    // Which ASCII characters have a property is not told apart: any may.
    if (in_.skip("{")) {
      in_.take_until("}");
    } else {
      in_.take_character();
    }
    set.add_class({}, true);
  }

  Part read_class() {
    const bool negated = in_.skip("^");
    Characters set;
    for (bool first = true; first || in_.peek() != ']'; first = false) {
      if (in_.skip("[:")) {
        const bool without = in_.skip("^");
        const auto known = posix_class(in_.take_until(":]"));
        if (!known) throw UnknownSyntax{};
        set.add_class(*known, without);
        continue;
      }
      if (in_.starts("\\") &&
          std::string_view("dswDSWpP").find(in_.peek(1)) != std::string_view::npos) {
        in_.take();
        read_named_class(set);
        continue;
      }
      const char32_t low = class_character();
      char32_t high = low;
      if (in_.starts("-") && in_.peek(1) != ']') {
        in_.take();
        high = class_character();
      }
      set.add(low, high);
    }
    in_.take();
    if (negated) {
      // A name may stand for less than what was added for it, so what is left may be more.
      if (set.has_more) set.ascii.reset();
      set.ascii = ~set.ascii;
      set.has_more = true;
    }
    return characters(set);
  }
  char32_t class_character() {
    const char32_t c = in_.take_character();
    return c == '\\' ? in_.escaped_character() : c;
  }

  Part dot() const {
    Part part = any_part();
    if (!dot_takes_all_) part.ascii.reset('\n');
    part.longest_bytes = kCharacterBytes;
    return part;
  }

  Part character(char32_t c) {
    Characters set;
    set.add(c, c);
    return characters(set);
  }

  // One of a set of characters.
  Part characters(const Characters& set) {
    Part part;
    part.longest_bytes = folds_ || set.has_more || !set.others.empty() ? kCharacterBytes : 1;
    part.ascii = set.ascii;
    if (folds_) {
      part.ascii = both_cases(part.ascii);
      // A long s and a Kelvin sign stand for ASCII letters.
      if (set.has_more || !set.others.empty()) part.ascii |= set_of("sSkK");
    }
    part.is_exact = !set.has_more && set.ascii.count() <= kMostCharacters;
    if (part.is_exact) write_out(set, part);
    return part;
  }

  void write_out(const Characters& set, Part& part) {
    is_loose_ = is_loose_ || (folds_ && (set.ascii & set_of("sSkK")).any());
    for (std::size_t c = 0; c < set.ascii.size(); ++c) {
      if (set.ascii[c]) part.texts.push_back(folded(std::string(1, static_cast<char>(c))));
    }
    for (const char32_t c : set.others) {
      std::vector<char32_t> forms{c};
      if (folds_) {
        auto known = case_forms(c);
        part.is_exact = part.is_exact && known.has_value();
        if (known) forms = std::move(*known);
      }
      for (const char32_t form : forms) {
        std::string text;
        append_utf8(text, form);
        is_loose_ = is_loose_ || form == 0x17F || form == 0x212A;
        part.texts.push_back(folded(text));
      }
    }
    std::sort(part.texts.begin(), part.texts.end());
    part.texts.erase(std::unique(part.texts.begin(), part.texts.end()), part.texts.end());
    if (!part.is_exact) part.texts.clear();
  }

  PatternCursor in_;
  int depth_ = 0;
  bool folds_;
  bool dot_takes_all_ = false;
  bool is_loose_ = false;
};

}  // namespace

PatternFacts pattern_facts(std::string_view pattern, bool literal, bool ignore_case) {
  try {
    Reader reader(pattern, ignore_case);
    Part part = literal ? reader.read_text() : reader.read();
    PatternFacts facts;
    facts.ascii = part.ascii;
    facts.longest_bytes = part.longest_bytes;
    facts.is_loose = reader.is_loose();
    if (part.is_exact) {
      if (Clause clause = part.best_clause(); !clause.empty()) {
        facts.clauses.push_back(std::move(clause));
      }
    } else {
      facts.clauses = std::move(part.clauses);
    }
    return facts;
  } catch (const UnknownSyntax&) {
    return {};
  }
}

}  // namespace knarr
