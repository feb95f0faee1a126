// Words, digits and spaces beyond ASCII: `\b`, `\w`, `\d`, `\s` and the names of classes.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "error_code.h"
#include "grep/grep.h"
#include "grep/pattern/facts.h"
#include "grep/pattern/pattern.h"
#include "grep/pattern/unicode_matcher.h"
#include "grep_reference.h"

namespace knarr {
namespace {

std::vector<std::string> found(std::string_view pattern, const std::string& text,
                               bool ignore_case = false) {
  TextStore store;
  store.append(text, std::vector<Slice>{{0, 0, static_cast<std::uint32_t>(text.size())}});
  GrepOptions options;
  options.ignore_case = ignore_case;
  std::vector<std::string> matches;
  for (const auto& match : grep(store.view(), RowSet::range(0, 1), pattern, options).matches) {
    matches.push_back(text.substr(match.begin_byte, match.end_byte - match.begin_byte));
  }
  return matches;
}

using Found = std::vector<std::string>;

TEST(GrepWords, AWordEndsWhereItsLettersEnd) {
  const std::string text = "Naïve café über Übung darüber, (über)";
  EXPECT_EQ(found(R"(\büber\b)", text), (Found{"über", "über"}));
  EXPECT_EQ(found(R"(\bber\b)", text), Found{});
  EXPECT_EQ(found(R"(\bcaf\b)", text), Found{});
  EXPECT_EQ(found(R"(\Büber\b)", text), (Found{"über"}));
  EXPECT_EQ(found(R"(\bÜBER\b)", text, true), (Found{"über", "über"}));
  EXPECT_EQ(found(R"(\b\w+)", "Naïve café"), (Found{"Naïve", "café"}));
  EXPECT_EQ(found(R"(\bcafe\x{301}\b)", "cafe\u0301 cafe\u0301s"), (Found{"cafe\u0301"}));
  EXPECT_EQ(found(R"(\bcafe\b)", "cafe\u0301 cafe"), (Found{"cafe"}));
  EXPECT_EQ(found(R"(\bдоговор\b)", "договора договор"), (Found{"договор"}));
  EXPECT_EQ(found(R"(\bdon\b)", "don’t"), (Found{"don"}));  // a quote is no letter, as in ASCII
}

// The first choice that fits at a place, and not the first one that fits but for the word's end.
TEST(GrepWords, AnotherChoiceAtTheSamePlaceIsNotLost) {
  EXPECT_EQ(found(R"(\b(?:ü|üb)\b)", "üb ü"), (Found{"üb", "ü"}));
  EXPECT_EQ(found(R"(\b(?:üb?)\b)", "üb ü übe"), (Found{"üb", "ü"}));
  EXPECT_EQ(found(R"(ü\b|b)", "üb"), (Found{"b"}));
  EXPECT_EQ(found(R"(\bdie\b.*\bübung\b)", "die Verübung, die übung nie"),
            (Found{"die Verübung, die übung"}));
  EXPECT_EQ(found(R"(é\b.)", "éa é, é"), (Found{"é,"}));
}

TEST(GrepWords, ClassesAreThoseOfUnicode) {
  EXPECT_EQ(found(R"(\w+)", "größe_1 x²"), (Found{"größe_1", "x²"}));
  EXPECT_EQ(found(R"(\W+)", "größe – x"), (Found{" – "}));
  EXPECT_EQ(found(R"(\d+)", "٣٤ 12 ²"), (Found{"٣٤", "12"}));
  EXPECT_EQ(found(R"(\D+)", "é٣"), (Found{"é"}));
  EXPECT_EQ(found(R"(a\sb)", "a\u00A0b a\u3000b"), (Found{"a\u00A0b", "a\u3000b"}));
  EXPECT_EQ(found(R"(\S+)", "a\u00A0ü"), (Found{"a", "ü"}));
  EXPECT_EQ(found(R"([\w-]+)", "süß-sauer!"), (Found{"süß-sauer"}));
  EXPECT_EQ(found(R"([^\w\s]+)", "süß – sauer"), (Found{"–"}));
  EXPECT_EQ(found(R"([\W\d]+)", "é 7é"), (Found{" 7"}));
  EXPECT_EQ(found(R"([^\W\d]+)", "é 7é_"), (Found{"é", "é_"}));
  EXPECT_EQ(found("[[:alpha:]]+", "größe1"), (Found{"größe"}));
  EXPECT_EQ(found("[[:upper:]][[:lower:]]+", "Übung"), (Found{"Übung"}));
  EXPECT_EQ(found("(?i)[[:upper:]]+", "Übung"), (Found{"Übung"}));
  EXPECT_EQ(found("[[:^alpha:]]+", "größe – x"), (Found{" – "}));
  EXPECT_EQ(found("[[:punct:]]+", "ü„–“"), (Found{"„–“"}));
  EXPECT_EQ(found("[[:ascii:]]+", "größe"), (Found{"gr", "e"}));
  EXPECT_EQ(found(R"([\pL\d]+)", "é٣-"), (Found{"é٣"}));
  EXPECT_EQ(found(R"([[:xdigit:]\d]+)", "fé٣g"), (Found{"f", "٣"}));
}

TEST(GrepWords, FlagsHoldWhereTheyStand) {
  EXPECT_EQ(found(R"((?U)\bü.+\b)", "über uns"), (Found{"über"}));
  EXPECT_EQ(found(R"(\bü.+?\b)", "über uns"), (Found{"über"}));
  EXPECT_EQ(found(R"((?i:Ü)ber\b)", "über Über ÜBER"), (Found{"über", "Über"}));
  EXPECT_EQ(found(R"((?s)é\b.x)", "é\nx"), (Found{"é\nx"}));
  EXPECT_EQ(found(R"((?-m)^\wb)", "éb\néb"), (Found{"éb"}));
  EXPECT_EQ(found(R"(^\wb$)", "éb\néb"), (Found{"éb", "éb"}));
  EXPECT_EQ(found(R"((?i)[^\wÄ]+)", "ä ü"), (Found{" "}));
  // The long s is an s, whichever matcher is asked.
  EXPECT_EQ(found("(?i)[[:ascii:]]", "ſé"), (Found{"ſ"}));
  EXPECT_EQ(found(R"((?i)\b[[:ascii:]])", "ſé"), (Found{"ſ"}));
  EXPECT_EQ(found(R"((?i)[[:^ascii:]]\b)", "éſ é"), (Found{"é"}));
  EXPECT_EQ(found(R"(\Q\w\E\w)", R"(\wé)"), (Found{R"(\wé)"}));
}

// A repetition of a class is as many steps as its bound, though the class is large.
TEST(GrepWords, RepetitionsOfClassesAreNotCostly) {
  EXPECT_EQ(found(R"(\b\w{3,200}\b)", "ä äb äbc"), (Found{"äbc"}));
  EXPECT_EQ(found(R"((?:\w{1,30}\s){3})", "ä ö ü x"), (Found{"ä ö ü "}));
}

TEST(GrepWords, WhatIsNotUnderstoodIsRefused) {
  EXPECT_EQ(code_of([] { found(R"(\büber\C)", "x"); }), ErrorCode::kUnsupported);
  const std::string deep = std::string(201, '(') + R"(\bx)" + std::string(201, ')');
  EXPECT_EQ(code_of([&] { found(deep, "x"); }), ErrorCode::kUnsupported);
  EXPECT_EQ(found(R"(ü\Cx)", "ü-x"), (Found{"ü-x"}));
}

// The index and the literal finder still see the text that every match contains.
TEST(GrepWords, FactsAreThoseOfUnicode) {
  const auto facts = [](std::string_view pattern) { return pattern_facts(pattern, false, false); };
  EXPECT_EQ(facts(R"(\büber\b)").required, "über");
  EXPECT_EQ(facts(R"(\büber\w+schuss\b)").clauses, (std::vector<Clause>{{"über"}, {"schuss"}}));
  EXPECT_EQ(facts("über").foreign, unsigned{kNoForeign});
  EXPECT_EQ(facts(R"(über\b)").foreign, unsigned{kForeignWords});
  EXPECT_EQ(facts(R"(late\s+fee)").foreign, unsigned{kForeignSpaces});
  EXPECT_EQ(facts(R"(\w)").longest_bytes, 4u);
}

std::string text_of_words(std::mt19937& random) {
  static const char* const pieces[] = {"a", "b", "c",      " ", "é", "\n", "ü",  "ж",      "ß",
                                       "_", "7", "\u0301", "٣", "²", "日", "😀",  "’",      "\u00A0",
                                       "-", "a", "\r\n",   "a", "b", " ",  "\r", "\u2003", "b"};
  std::string text;
  const unsigned kinds = random() % 4 == 0 ? 6 : 27;
  for (unsigned n = 1 + random() % 14; n > 0; --n) text += pieces[random() % kinds];
  return text;
}

TEST(GrepWords, AgreesWithTheReference) {
  std::mt19937 random(12);
  reference::Generator generator(random, true);
  GrepOptions options;
  options.limit = kMaxMatchesShown;
  std::size_t matches = 0;
  for (int round = 0; round < 10'000; ++round) {
    const reference::NodePtr pattern = generator.pattern();
    const std::string printed = reference::print(*pattern);
    const std::string text = text_of_words(random);
    SCOPED_TRACE("'" + printed + "' on '" + text + "', round " + std::to_string(round));
    const auto end = static_cast<std::uint32_t>(text.size());
    TextStore store;
    store.append(text, std::vector<Slice>{{0, 0, end}});
    const GrepResult result = grep(store.view(), RowSet::range(0, 1), printed, options);
    const auto expected = reference::find_all(*pattern, text, 0, end);
    ASSERT_EQ(result.matches.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(result.matches[i].begin_byte, expected[i].begin_byte) << "match " << i;
      ASSERT_EQ(result.matches[i].end_byte, expected[i].end_byte) << "match " << i;
    }
    matches += expected.size();
  }
  EXPECT_GT(matches, 10'000u);
}

// Where both matchers may be asked, they find the same: in any text without words beyond ASCII, and
// for any pattern that asks for none.
TEST(GrepWords, BothMatchersFindTheSame) {
  std::mt19937 random(21);
  reference::Generator generator(random);
  for (int round = 0; round < 5'000; ++round) {
    const std::string pattern = reference::print(*generator.pattern());
    std::string text;
    static const char* const pieces[] = {"a", "b", "c", " ", "\n", "’", "–"};
    for (unsigned n = 1 + random() % 14; n > 0; --n) text += pieces[random() % 7];
    SCOPED_TRACE("'" + pattern + "' on '" + text + "'");
    const Pattern compiled(pattern, false, false);
    ASSERT_FALSE(compiled.needs_unicode(text, 0, text.size()));
    const UnicodeProgram program(*parse_pattern(pattern, false), 60'000);
    for (std::size_t from = 0; from <= text.size(); ++from) {
      if (from < text.size() && !begins_character(text[from])) continue;
      Pattern::Span by_re2{};
      UnicodeMatch by_us{};
      const bool has = compiled.find(text, from, text.size(), false, by_re2);
      // RE2 finds empty matches inside of characters too, which the scan passes over.
      if (has && by_re2.begin < text.size() && !begins_character(text[by_re2.begin])) continue;
      ASSERT_EQ(find_unicode(program, text, from, text.size(), by_us), has) << from;
      if (!has) continue;
      ASSERT_EQ(by_us.begin, by_re2.begin) << from;
      ASSERT_EQ(by_us.end, by_re2.end) << from;
    }
  }
}

}  // namespace
}  // namespace knarr
