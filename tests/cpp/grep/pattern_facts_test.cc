// The facts that are read from a pattern's syntax before anything is searched.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/utf8.h"
#include "grep/grep.h"
#include "grep/pattern/facts.h"
#include "grep/pattern/fold.h"
#include "grep_random.h"

namespace knarr {
namespace {

TEST(PatternFacts, AnOpaquePatternHasNone) {
  const PatternFacts facts = pattern_facts(opaque("needle"), false, false);
  EXPECT_TRUE(facts.clauses.empty() && facts.ascii.all() && facts.required.empty());
  EXPECT_EQ(facts.longest_bytes, kUnbounded);
}

TEST(PatternFacts, EveryMatchContainsATextOfEachClause) {
  using Clauses = std::vector<Clause>;
  const auto clauses = [](std::string_view pattern, bool ignore_case = false) {
    return pattern_facts(pattern, false, ignore_case).clauses;
  };
  EXPECT_EQ(clauses("Needle"), (Clauses{{"needle"}}));
  EXPECT_EQ(clauses("late fee|penalty"), (Clauses{{"late fee", "penalty"}}));
  EXPECT_EQ(clauses("colou?r"), (Clauses{{"color", "colour"}}));
  EXPECT_EQ(clauses("termination\\b.{0,40}\\bnotice"), (Clauses{{"termination"}, {"notice"}}));
  EXPECT_EQ(clauses("ab+cd"), (Clauses{{"bcd"}}));
  EXPECT_EQ(clauses("(?:abc)+d"), (Clauses{{"abc"}, {"abcd"}}));
  EXPECT_EQ(clauses("[Pp]en(?:ny|ce)"), (Clauses{{"pence", "penny"}}));
  EXPECT_EQ(clauses("(foo.*bar)+"), (Clauses{{"foo"}, {"bar"}}));
  EXPECT_EQ(clauses("(?:foo.*|ba)r"), Clauses{});
  EXPECT_EQ(clauses("x(?i)YZ\\x41"), (Clauses{{"xyza"}}));
  EXPECT_EQ(clauses("a{3}"), (Clauses{{"aaa"}}));
  EXPECT_EQ(clauses("a{2,}b"), Clauses{});
  EXPECT_EQ(clauses("\\Qa.b*\\Ec"), (Clauses{{"a.b*c"}}));
  EXPECT_EQ(clauses("na\xC3\xAFve"), (Clauses{{"na\xC3\xAFve"}}));
  EXPECT_EQ(clauses("\xC5\xBFtop"), (Clauses{{"stop"}}));
  EXPECT_EQ(
      clauses("\xD0\xB6\xD1\x83", true),
      (Clauses{{"\xD0\x96\xD0\xA3", "\xD0\x96\xD1\x83", "\xD0\xB6\xD0\xA3", "\xD0\xB6\xD1\x83"}}));
  EXPECT_EQ(clauses("\\w+"), Clauses{});
  EXPECT_EQ(clauses("a|bcd"), Clauses{});
  EXPECT_EQ(clauses("\\Cabc"), Clauses{});
}

// The forms of letters include all those that RE2 knows.
TEST(PatternFacts, FormsOfLettersIncludeThoseOfTheMatcher) {
  std::string all;
  for (char32_t c = 1; c < 0x20000; ++c) {
    if (c < 0xD800 || c > 0xDFFF) append_utf8(all, c);
  }
  std::vector<char32_t> letters{'s', 'k', 'a', 'z'};
  for (const auto& [low, high] : std::vector<std::pair<char32_t, char32_t>>{
           {0xB5, 0x17F}, {0x370, 0x3FF}, {0x400, 0x4BF}, {0x4E00, 0x4E02}}) {
    for (char32_t c = low; c <= high; ++c) {
      if (case_forms(c)) letters.push_back(c);
    }
  }
  ASSERT_GT(letters.size(), 400u);
  TextStore store;
  store.append(all, std::vector<Slice>{{0, 0, static_cast<std::uint32_t>(all.size())}});
  const TextView view = store.view();
  GrepOptions options;
  options.ignore_case = true;
  options.literal = true;
  for (const char32_t letter : letters) {
    std::string pattern;
    append_utf8(pattern, letter);
    std::vector<std::string> known;
    if (letter < 0x80) {
      known.push_back(pattern);
    } else {
      const std::vector<char32_t> forms = *case_forms(letter);
      for (const char32_t form : forms) {
        known.emplace_back();
        append_utf8(known.back(), form);
      }
    }
    for (const GrepMatch& match : grep(view, RowSet::range(0, 1), pattern, options).matches) {
      const std::string found = all.substr(match.begin_byte, match.end_byte - match.begin_byte);
      const std::string seen = letter < 0x80 ? folded(found) : found;
      EXPECT_TRUE(std::ranges::find(known, seen) != known.end()) << pattern << " is " << found;
    }
  }
}

TEST(PatternFacts, RequiredTextIsInEveryMatch) {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"needle", "needle"},
      {"^late fee$", "late fee"},
      {"fo.*barbar", "barbar"},
      {"colou?r", "colo"},
      {"abc*", "ab"},
      {"abc+d", "abc"},
      {"abc{2}d", "abc"},
      {R"(\bsection 4\.2\b)", "section 4.2"},
      {R"(\d+ euros)", " euros"},
      {"[a-z]]xyz", "]xyz"},
      {"[^]abc]xyz", "xyz"},
      {"[[:alpha:]]+ing", "ing"},
      {"(?:one|two) three", " three"},
      {"(?P<n>a[)]b)cde", "a)bcde"},
      {R"((\)x)yz)", ")xyz"},
      {"ünïcode+", "ünïcode"},
      {"^*abc", "abc"},
      {R"(\b?abc)", "abc"},
      {R"(late\b\n fee)", "late\n fee"},
      {"(?:(late) fee)+s", "late fee"},
      {"(?:late)?fee", "fee"},
      {"(?:ab|cd)+efg", "efg"},
      {"late|penalty", ""},
      {R"(\Cabc)", ""},
      {"(?i)abc", ""},
      {"(?i:abc)def", "def"},
      {R"(\x41bc)", "Abc"},
      {R"(\Qa*b\E)", "a*b"},
      {R"(\pLabc)", "abc"},
      {"x{,3}y", "x{,3}y"},
  };
  for (const auto& [pattern, text] : known) {
    EXPECT_EQ(pattern_facts(pattern, false, false).required, text) << pattern;
  }
}

TEST(PatternFacts, BoundTheMatch) {
  EXPECT_EQ(pattern_facts("abc", false, false).longest_bytes, 3u);
  EXPECT_EQ(pattern_facts("a.{2,5}", false, false).longest_bytes, 21u);
  EXPECT_EQ(pattern_facts("a+", false, false).longest_bytes, kUnbounded);
  EXPECT_EQ(pattern_facts("a|bb|", false, false).longest_bytes, 2u);
  const AsciiSet ascii = pattern_facts("late\\s+fee", false, false).ascii;
  EXPECT_TRUE(ascii['l'] && ascii['\n'] && ascii[' ']);
  EXPECT_FALSE(ascii['x'] || ascii['L']);
  EXPECT_FALSE(pattern_facts("a.*b", false, false).ascii['\n']);
  EXPECT_TRUE(pattern_facts("(?s)a.*b", false, false).ascii['\n']);
  EXPECT_TRUE(pattern_facts("[^x]", false, false).ascii['\n']);
  EXPECT_TRUE(pattern_facts("[^\\D]", false, false).ascii['7']);
}

// A negated class excludes the characters that are in it for sure, and no others.
TEST(PatternFacts, NegatedClassesStaySupersets) {
  const auto ascii = [](std::string_view pattern) {
    return pattern_facts(pattern, false, false).ascii;
  };
  EXPECT_EQ(ascii(R"([^\D])"), perl_class('d'));
  EXPECT_EQ(ascii(R"([^\W\d])"), perl_class('w') & ~perl_class('d'));
  EXPECT_EQ(ascii("[^[:^alpha:]]"), *posix_class("alpha"));
  EXPECT_EQ(pattern_facts(R"([^\D])", false, false).longest_bytes, 4u);  // digits of any script
  EXPECT_EQ(pattern_facts(R"([^\PL])", false, false).longest_bytes, 4u);
  // Which ASCII characters have a property is not known.
  EXPECT_EQ(ascii(R"([^\pL\n])"), AsciiSet().set().reset('\n'));
  // With case folded, what is neither lower nor upper case is empty, and so are both complements.
  EXPECT_EQ(ascii("(?i)[^[:^lower:][:^upper:]]"), *posix_class("alpha"));
  EXPECT_EQ(ascii("(?i)[^a]"), AsciiSet().set().reset('a').reset('A') | set_of("A") | set_of("a"));
}

TEST(PatternFacts, LineEndsAreKnown) {
  const auto may_cross = [](std::string_view pattern) {
    return bool{pattern_facts(pattern, false, false).ascii['\n']};
  };
  for (const char* pattern :
       {"a.*b", R"([^\n]+)", R"([^\s]+)", R"([^\D\n]+)", R"(\w\d\S\b\B\A\z\t\x41)", "[!-~]",
        R"(\Qa.b\E)", "(?i)(?P<name>x)", "[[:alpha:]]", R"(\n{0}a)", R"(\\n)", R"([^\pL\n])"}) {
    EXPECT_FALSE(may_cross(pattern)) << pattern;
  }
  for (const char* pattern : {R"(a\nb)", "a\nb", R"(\s)", R"(\W)", R"(\D)", "[^a]", "(?s).",
                              "(?s:.)", R"([\t-\r])", R"(\x0a)", R"(\012)", "[[:space:]]",
                              "[[:^alpha:]]", R"(\pL)", R"([^\S])", "\\Qa\nb\\E", R"(\C)"}) {
    EXPECT_TRUE(may_cross(pattern)) << pattern;
  }
}

}  // namespace
}  // namespace knarr
