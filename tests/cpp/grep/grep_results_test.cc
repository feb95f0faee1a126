// Grep: its results as a whole, in pages and for many threads (BEHAVIOURS GREP-03 and 04).
#include <gtest/gtest.h>

#include <thread>

#include "grep/grep.h"
#include "grep_texts.h"

namespace knarr {
namespace {

// --- GREP-03

TEST(Grep03, ExcerptsOfOneLongLineAreBounded) {
  std::string json = "[";
  for (int i = 0; i < 500; ++i) json += "{\"k\": \"needle\"}," + std::string(6'000, 'x') + "é,";
  json += "0]";
  ASSERT_GT(json.size(), 3'000'000u);
  Texts texts({json});
  GrepOptions options;
  options.width = 80;
  GrepResult result;
  EXPECT_LT(seconds([&] { result = texts.grep("needle", options); }), 2.0);
  EXPECT_EQ(result.total, 500u);
  ASSERT_EQ(result.matches.size(), 100u);
  EXPECT_EQ(result.next_offset, 100u);
  for (const GrepMatch& match : result.matches) {
    EXPECT_LE(match.excerpt.size(), 80u);
    EXPECT_GE(match.excerpt.size(), 77u);  // it uses its room
    EXPECT_TRUE(holds(match.excerpt, "needle"));
    EXPECT_EQ(json.substr(match.excerpt_begin_byte, match.excerpt.size()), match.excerpt);
    EXPECT_EQ(match.line, 1u);
    EXPECT_EQ(match.column, match.begin_byte + 1);
  }
}

TEST(Grep03, ManyFilesArePagedWithoutLoss) {
  std::vector<std::string> files;
  for (int i = 0; i < 20'000; ++i) files.push_back("file " + std::to_string(i) + " has a needle\n");
  Texts texts(files);
  GrepOptions options;
  options.limit = 7'000;
  std::vector<std::uint32_t> blocks;
  for (std::optional<std::uint64_t> offset = 0; offset;) {
    options.offset = *offset;
    const auto page = texts.grep("needle", options);
    EXPECT_EQ(page.total, 20'000u);
    for (const GrepMatch& match : page.matches) blocks.push_back(match.block);
    offset = page.next_offset;
  }
  ASSERT_EQ(blocks.size(), 20'000u);
  for (std::uint32_t i = 0; i < 20'000; ++i) ASSERT_EQ(blocks[i], i);

  options.limit = 0;
  options.offset = 0;
  const auto counted = texts.grep("needle", options);
  EXPECT_EQ(counted.total, 20'000u);
  EXPECT_TRUE(counted.matches.empty());
  options.limit = 10;
  options.offset = UINT64_MAX;
  EXPECT_TRUE(texts.grep("needle", options).matches.empty());
}

TEST(Grep03, ExcerptWindows) {
  const auto excerpt = [](std::string text, std::string_view pattern, std::size_t width) {
    GrepOptions options;
    options.width = width;
    const auto result = Texts({std::move(text)}).grep(pattern, options);
    return result.matches.empty() ? "none" : result.matches[0].excerpt;
  };
  EXPECT_EQ(excerpt("0123456789", "5", 5), "34567");
  EXPECT_EQ(excerpt("0123456789", "0", 5), "01234");
  EXPECT_EQ(excerpt("0123456789", "9", 5), "56789");
  EXPECT_EQ(excerpt("0123456789", "2345678", 3), "234");
  EXPECT_EQ(excerpt("ab\ncd\nef", "cd", 100), "cd");
  EXPECT_EQ(excerpt("ab\ncd\nef", "d\\ne", 100), "cd");  // the first line of the match
  EXPECT_EQ(excerpt("ab\ncd", "\\ncd", 100), "ab");
  EXPECT_EQ(excerpt("ééXéé", "X", 4), "Xé");  // whole characters, within the width
  EXPECT_EQ(excerpt("ééXéé", "X", 1), "X");
  EXPECT_EQ(excerpt("日本語", "本", 2), "");
  EXPECT_EQ(excerpt("a\n\nb", "^$", 10), "");
}

// --- GREP-04

TEST(Grep04, OutcomesAreToldApart) {
  Texts texts({"foo then bar", "food", "an ERRor"});
  EXPECT_EQ(texts.grep("foo").outcome, GrepOutcome::kMatches);
  EXPECT_EQ(texts.grep("absent").outcome, GrepOutcome::kNoMatches);
  EXPECT_EQ(texts.grep("foo.*bar").total, 1u);
  EXPECT_EQ(texts.grep("o{2}").total, 2u);
  EXPECT_EQ(texts.grep("(?i)ERR").total, 1u);
  const std::vector<std::string> wrong = {"([",  "",       "a**",        "*", "a{7,2}", "[b-a]",
                                          "a\\", "(?<n>a", "[[:nope:]]", "(", ")",      "\xFF"};
  for (const std::string& pattern : wrong) {
    const auto refused = refusal_of(pattern);
    if (pattern == "(?<n>a") {
      EXPECT_EQ(refused.code, ErrorCode::kUnsupported);
      continue;
    }
    EXPECT_EQ(refused.code, ErrorCode::kInvalidArgument) << pattern;
    EXPECT_TRUE(holds(refused.message, "bad pattern")) << refused.message;
    EXPECT_FALSE(holds(refused.message, "(?m)")) << refused.message;
  }
  EXPECT_TRUE(holds(refusal_of("x([").message, "missing ]: [")) << refusal_of("x([").message;
  EXPECT_EQ(Texts({}).grep("x").outcome, GrepOutcome::kNoMatches);
}

TEST(Grep04, OptionsOutOfRangeAreRefused) {
  const auto refused = [](const std::function<void(GrepOptions&)>& set) {
    GrepOptions options;
    set(options);
    EXPECT_EQ(refusal_of("x", options).code, ErrorCode::kInvalidArgument);
  };
  refused([](GrepOptions& options) { options.width = 0; });
  refused([](GrepOptions& options) { options.width = kMaxExcerptBytes + 1; });
  refused([](GrepOptions& options) { options.limit = kMaxMatchesShown + 1; });
  refused([](GrepOptions& options) { options.timeout_ms = 0; });
}

// Large enough for several tasks and threads; every answer is known.
TEST(Grep04, ManyThreadsAndTasksFindWhatOneWould) {
  std::vector<std::string> files;
  std::uint64_t expected = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (int line = 0; line < 800; ++line) {
      text += "line " + std::to_string(line) + " of file " + std::to_string(i) + "\n";
    }
    expected += i % 10 == 7 ? 800 : 0;
    files.push_back(std::move(text));
  }
  Texts texts(files);
  const TextView view = texts.view();
  const RowSet all = RowSet::range(0, 400);
  GrepOptions options;
  options.limit = kMaxMatchesShown;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto result = grep(view, all, "7$", options);
      EXPECT_EQ(result.total, expected);
      for (std::size_t m = 1; m < result.matches.size(); ++m) {
        const auto &a = result.matches[m - 1], &b = result.matches[m];
        ASSERT_TRUE(a.block < b.block || (a.block == b.block && a.begin_byte < b.begin_byte));
        ASSERT_EQ(b.line, b.block == a.block ? a.line + 1 : 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace knarr
