// LiteralFinder: finds the same as a plain search.
#include "grep/pattern/literal_finder.h"

#include <gtest/gtest.h>

#include <random>

#include "grep_random.h"

namespace knarr {
namespace {

TEST(LiteralFinder, FindsWhatStandsThere) {
  std::mt19937 random(9);
  const std::vector<std::string> texts = {"late",  "fee", "penalty", "na\u00EFve", "section",
                                          "4.2",   "aab", "abab",    "100%",       "top",
                                          "elvin", "tte", "eel"};
  std::size_t found_some = 0;
  for (int round = 0; round < 4'000; ++round) {
    Clause clause;
    for (unsigned n = 1 + random() % 12; n > 0; --n)
      clause.push_back(texts[random() % texts.size()]);
    const LiteralFinder finder(clause, false);
    ASSERT_TRUE(finder.is_usable());
    std::string text = random_text(random).substr(0, random() % 200);
    if (random() % 2) text += text;
    const std::size_t from = random() % (text.size() + 1);
    const std::size_t to = from + random() % (text.size() + 1 - from);
    const std::size_t found = finder.find(text, from, to);
    ASSERT_EQ(found, finder.find_plain(text, from, to));
    // The first of the texts, on folded letters.
    std::string lower = text.substr(from, to - from);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    std::size_t first = std::string::npos;
    std::size_t first_end = 0;
    bool is_there = false;
    for (const std::string& part : clause) {
      const std::size_t at = lower.find(part);
      if (at != std::string::npos && at < first) {
        first = at;
        first_end = at + part.size();
      }
      is_there |=
          found != LiteralFinder::kNowhere && lower.compare(found - from, part.size(), part) == 0;
    }
    ASSERT_EQ(found == LiteralFinder::kNowhere, first == std::string::npos);
    if (found == LiteralFinder::kNowhere) continue;
    ASSERT_TRUE(is_there);
    ASSERT_LT(found, from + first_end);
    ++found_some;
  }
  EXPECT_GT(found_some, 500u);
}

TEST(LiteralFinder, LeavesOutLettersOfManyForms) {
  EXPECT_TRUE(LiteralFinder({"late fees"}, true).is_usable());
  EXPECT_EQ(LiteralFinder({"late fees"}, true).find("LATE FEE\u017F", 0, 10), 0u);
  EXPECT_FALSE(LiteralFinder({"ask"}, true).is_usable());
  EXPECT_FALSE(LiteralFinder({"late", "risk"}, true).is_usable());
  EXPECT_FALSE(LiteralFinder().is_usable());
}

}  // namespace
}  // namespace knarr
