// A reader of RE2's syntax. RE2 has taken the pattern already, so it need not find mistakes; where
// it is not sure what something means it gives up, and nothing is known of the pattern.
#include "grep/facts.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "grep/characters.h"
#include "grep/fold.h"
#include "grep/utf8.h"

namespace knarr {
namespace {

constexpr int kDeepest = 200;  // groups in groups
constexpr std::uint32_t kCharacterBytes = 4;

struct GiveUp {};

class Reader {
 public:
  Reader(std::string_view pattern, bool ignore_case) : pattern_(pattern), folds_(ignore_case) {}

  Part read() {
    Part part = read_either();
    if (!done()) throw GiveUp{};
    return part;
  }

  bool is_loose() const { return is_loose_; }

  Part read_text() {
    Sequence all;
    while (!done()) all.add(character(take_character()));
    return all.finish();
  }

 private:
  bool done() const { return at_ >= pattern_.size(); }
  char peek() const { return done() ? '\0' : pattern_[at_]; }
  bool starts(std::string_view text) const { return pattern_.substr(at_, text.size()) == text; }
  bool skip(std::string_view text) {
    if (!starts(text)) return false;
    at_ += text.size();
    return true;
  }
  char take() {
    if (done()) throw GiveUp{};
    return pattern_[at_++];
  }
  char32_t take_character() {
    const auto lead = static_cast<unsigned char>(take());
    if (lead < 0x80) return lead;
    char32_t c = lead >= 0xF0 ? lead & 0x07 : lead >= 0xE0 ? lead & 0x0F : lead & 0x1F;
    while (!done() && !begins_character(peek())) {
      c = (c << 6) | (static_cast<unsigned char>(take()) & 0x3F);
    }
    return c;
  }
  std::string_view take_until(std::string_view end) {
    const std::size_t found = pattern_.find(end, at_);
    if (found == std::string_view::npos) throw GiveUp{};
    const auto text = pattern_.substr(at_, found - at_);
    at_ = found + end.size();
    return text;
  }

  // --- Structure ---------------------------------------------------------------------------------

  Part read_either() {
    if (++depth_ > kDeepest) throw GiveUp{};
    std::vector<Part> parts;
    do {
      parts.push_back(read_sequence());
    } while (skip("|"));
    --depth_;
    return parts.size() == 1 ? std::move(parts.front()) : either(parts);
  }

  Part read_sequence() {
    Sequence all;
    while (!done() && peek() != '|' && peek() != ')') {
      if (skip("\\Q")) {
        read_quoted(all);
      } else if (!read_flags()) {
        add_repeated(all, read_one());
      }
    }
    return all.finish();
  }

  // Quoted text; an operator behind it repeats its last character.
  void read_quoted(Sequence& all) {
    const std::size_t end = std::min(pattern_.find("\\E", at_), pattern_.size());
    if (at_ == end && repeats_at(end + 2)) throw GiveUp{};
    while (at_ < end) {
      const Part one = character(take_character());
      if (at_ < end) {
        all.add(one);
      } else {
        skip("\\E");
        add_repeated(all, one);
        return;
      }
    }
    skip("\\E");
  }
  bool repeats_at(std::size_t at) const {
    return at < pattern_.size() && std::string_view("*+?{").find(pattern_[at]) != std::string::npos;
  }

  void add_repeated(Sequence& all, const Part& part) {
    std::uint32_t least = 1;
    std::uint32_t most = 1;
    if (!read_repetition(least, most)) {
      all.add(part);
      return;
    }
    if (least > most) throw GiveUp{};
    std::uint32_t more_least = 1;
    std::uint32_t more_most = 1;
    if (read_repetition(more_least, more_most)) throw GiveUp{};
    all.add_repeated(part, least, most);
  }

  bool read_repetition(std::uint32_t& least, std::uint32_t& most) {
    if (skip("*")) {
      least = 0;
      most = kUnbounded;
    } else if (skip("+")) {
      most = kUnbounded;
    } else if (skip("?")) {
      least = 0;
    } else if (!read_bounds(least, most)) {
      return false;
    }
    skip("?");  // lazy
    return true;
  }

  // `{2}`, `{2,}` or `{2,5}`; anything else is text.
  bool read_bounds(std::uint32_t& least, std::uint32_t& most) {
    const std::size_t begin = at_;
    if (skip("{") && read_number(least)) {
      most = least;
      if (skip(",")) {
        most = kUnbounded;
        if (peek() != '}' && !read_number(most)) most = 0;
      }
      if (skip("}")) return true;
    }
    at_ = begin;
    least = most = 1;
    return false;
  }
  bool read_number(std::uint32_t& number) {
    const std::size_t begin = at_;
    number = 0;
    while (peek() >= '0' && peek() <= '9') {
      number =
          std::min<std::uint32_t>(number * 10 + static_cast<std::uint32_t>(take() - '0'), 100'000);
    }
    return at_ > begin;
  }

  // `(?i)`: holds up to the end of the group that it stands in.
  bool read_flags() {
    if (!starts("(?") || starts("(?:") || starts("(?P<") || starts("(?<")) return false;
    const std::size_t end = pattern_.find_first_of(":)", at_);
    if (end == std::string_view::npos) throw GiveUp{};
    if (pattern_[end] == ':') return false;
    at_ += 2;
    set_flags(pattern_.substr(at_, end - at_));
    at_ = end + 1;
    if (repeats_at(at_)) throw GiveUp{};
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
        throw GiveUp{};
      }
    }
  }

  Part read_one() {
    const char32_t c = take_character();
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
        throw GiveUp{};
      default:
        return character(c);
    }
  }

  Part read_group() {
    const bool folds = folds_;
    const bool dot_takes_all = dot_takes_all_;
    if (skip("?")) {
      if (skip("P<") || skip("<")) {
        take_until(">");
      } else {
        set_flags(take_until(":"));
      }
    }
    Part part = read_either();
    if (!skip(")")) throw GiveUp{};
    folds_ = folds;
    dot_takes_all_ = dot_takes_all;
    return part;
  }

  // --- Characters --------------------------------------------------------------------------------

  Part read_escape() {
    const char c = peek();
    switch (c) {
      case 'A':
      case 'z':
      case 'b':
      case 'B':
        ++at_;
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
        return character(escaped_character());
    }
  }

  // Behind a backslash: `d`, `pL`, `P{Greek}` and so on.
  void read_named_class(Characters& set) {
    const char name = take();
    if (name != 'p' && name != 'P') {
      const bool negated = std::isupper(static_cast<unsigned char>(name)) != 0;
      set.add_class(perl_class(static_cast<char>(name | 0x20)), negated);
      return;
    }
    // Which ASCII characters have a property is not told apart: any may.
    if (skip("{")) {
      take_until("}");
    } else {
      take_character();
    }
    set.add_class({}, true);
  }

  // Behind a backslash: a character by name or number, or a sign that stands for itself.
  char32_t escaped_character() {
    const char32_t c = take_character();
    switch (c) {
      case 'a':
        return '\a';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return '\v';
      case 'x':
        return hexadecimal();
      default:
        break;
    }
    if (c >= '0' && c <= '7') {
      char32_t number = c - '0';
      for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) {
        number = number * 8 + static_cast<char32_t>(take() - '0');
      }
      return number;
    }
    if (c >= 0x80 || std::isalnum(static_cast<int>(c))) throw GiveUp{};
    return c;
  }

  char32_t hexadecimal() {
    const bool braced = skip("{");
    const std::string_view digits = braced ? take_until("}") : pattern_.substr(at_, 2);
    if (!braced) at_ += digits.size();
    char32_t number = 0;
    for (const char digit : digits) {
      if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) throw GiveUp{};
      const int value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
      number = std::min<char32_t>(number * 16 + static_cast<char32_t>(value), 0x110000);
    }
    if (digits.empty() || number > 0x10FFFF) throw GiveUp{};
    return number;
  }

  Part read_class() {
    const bool negated = skip("^");
    Characters set;
    for (bool first = true; first || peek() != ']'; first = false) {
      if (skip("[:")) {
        const bool without = skip("^");
        const auto known = posix_class(take_until(":]"));
        if (!known) throw GiveUp{};
        set.add_class(*known, without);
        continue;
      }
      if (starts("\\") && at_ + 1 < pattern_.size() &&
          std::string_view("dswDSWpP").find(pattern_[at_ + 1]) != std::string_view::npos) {
        ++at_;
        read_named_class(set);
        continue;
      }
      const char32_t low = class_character();
      char32_t high = low;
      if (starts("-") && pattern_.substr(at_ + 1, 1) != "]") {
        ++at_;
        high = class_character();
      }
      set.add(low, high);
    }
    take();
    if (negated) {
      // A name may stand for less than what was added for it, so what is left may be more.
      if (set.has_more) set.ascii.reset();
      set.ascii = ~set.ascii;
      set.has_more = true;
    }
    return characters(set);
  }
  char32_t class_character() {
    const char32_t c = take_character();
    return c == '\\' ? escaped_character() : c;
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

  const std::string_view pattern_;
  std::size_t at_ = 0;
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
  } catch (const GiveUp&) {
    return {};
  }
}

}  // namespace knarr
