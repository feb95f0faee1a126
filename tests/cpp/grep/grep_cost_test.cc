// Grep: what it must refuse and bound (BEHAVIOURS GREP-01).
#include <gtest/gtest.h>

#include <thread>

#include "grep/grep.h"
#include "grep_texts.h"

namespace knarr {
namespace {

std::vector<std::string> costly_patterns() {
  return {"(a+)+$", "(a|aa)+$", "(.*a){25}", "(x+x+)+y"};
}

TEST(Grep01, CostlyPatternsEndOnSmallTexts) {
  const std::string text = std::string(30, 'a') + "!";
  std::vector<std::string> many(10'000, text);
  Texts one({text});
  Texts files(many);
  for (const std::string& pattern : costly_patterns()) {
    EXPECT_LT(seconds([&] { one.grep(pattern); }), 1.0) << pattern;
    EXPECT_LT(seconds([&] { EXPECT_NE(files.grep(pattern).outcome, GrepOutcome::kIncomplete); }),
              2.0)
        << pattern;
  }
  EXPECT_EQ(one.grep("(a+)+$").total, 0u);
  EXPECT_EQ(one.grep("(.*a){25}").total, 1u);
}

TEST(Grep01, CostlyPatternsEndOnALineOfAMegabyte) {
  Texts line({std::string(1 << 20, 'a')});
  for (const std::string& pattern : costly_patterns()) {
    EXPECT_LT(seconds([&] { EXPECT_NE(line.grep(pattern).outcome, GrepOutcome::kIncomplete); }),
              5.0)
        << pattern;
  }
  EXPECT_EQ(line.grep("(a+)+$").total, 1u);
}

TEST(Grep01, WhatCannotBeBoundedIsRefusedByName) {
  const auto repetition = refusal_of("a{1,50000}");
  EXPECT_EQ(repetition.code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(holds(repetition.message, "pattern too costly")) << repetition.message;
  EXPECT_TRUE(holds(repetition.message, "{1,50000}")) << repetition.message;

  for (const std::string& pattern :
       {std::string(100'000, 'a'), std::string(100'000, '('), std::string("((a{100}){100}){10}"),
        std::string(R"(\pL{1,1000})"), std::string(R"(\pL{1,200})")}) {
    Refusal refused;
    EXPECT_LT(seconds([&] { refused = refusal_of(pattern); }), 2.0);
    EXPECT_EQ(refused.code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(holds(refused.message, "pattern too costly")) << refused.message;
    EXPECT_LT(refused.message.size(), 300u);
  }
}

TEST(Grep01, WhatNeedsBacktrackingIsNamed) {
  const std::vector<std::pair<std::string, std::string>> constructs = {
      {"(?=a)", "look-ahead"},
      {"a(?!b)", "look-ahead"},
      {"(?<=a)b", "look-behind"},
      {"(?<!a)b", "look-behind"},
      {R"((a)\1)", "back-reference"},
      {R"((?P<n>a)\k<n>)", "back-reference"},
      {"(?P<n>a)(?P=n)", "back-reference"},
      {"(?>a)", "atomic group"},
      {"a++", "possessive"},
      {"(?R)", "recursion"},
      {R"(\X)", "escape sequence"},
      {"(?(1)a)", "condition"},
  };
  for (const auto& [pattern, name] : constructs) {
    const auto refused = refusal_of(pattern);
    EXPECT_EQ(refused.code, ErrorCode::kUnsupported) << pattern << ": " << refused.message;
    EXPECT_TRUE(holds(refused.message, "not supported")) << refused.message;
    EXPECT_TRUE(holds(refused.message, name)) << refused.message;
  }
}

// Each match of this looks at the rest of the line: a trillion steps on a megabyte.
TEST(Grep01, TheDeadlineHoldsInsideABlock) {
  Texts line({"needle " + std::string(1 << 20, 'a')});
  GrepOptions options;
  options.timeout_ms = 200;
  GrepResult result;
  EXPECT_LT(seconds([&] { result = line.grep("a.*c|a|needle", options); }), 3.0);
  EXPECT_EQ(result.outcome, GrepOutcome::kIncomplete);
  EXPECT_GT(result.total, 0u);
  EXPECT_LT(result.bytes_searched, result.bytes_allowed);
  EXPECT_EQ(result.first_unsearched, 0u);
  EXPECT_TRUE(holds(result.note, "time limit of 200 ms")) << result.note;
}

// The automaton of this has too many states, and what takes its place is slow: the line is left out
// before it is begun, and the texts after it are searched.
TEST(Grep01, ALineThatWouldTakeTooLongIsLeftOut) {
  std::string line;
  for (unsigned i = 0, x = 1; i < (4u << 20); ++i, x = x * 1103515245 + 12345) {
    line.push_back((x >> 16) % 2 == 0 ? 'a' : 'b');
  }
  Texts texts({"first", line, "last"});
  GrepOptions options;
  options.timeout_ms = 2'000;
  GrepResult result;
  EXPECT_LT(seconds([&] { result = texts.grep("[ab]*a[ab]{300}c|first|last", options); }), 5.0);
  EXPECT_EQ(result.outcome, GrepOutcome::kIncomplete);
  EXPECT_EQ(result.total, 2u);
  EXPECT_EQ(result.first_unsearched, 1u);
}

TEST(Grep01, OtherCallsAreAnsweredMeanwhile) {
  Texts slow({std::string(1 << 20, 'a')});
  Texts quick({"one two three"});
  GrepOptions options;
  options.timeout_ms = 1500;
  std::thread busy([&] { slow.grep("a.*c|a", options); });
  for (int i = 0; i < 20; ++i) {
    EXPECT_LT(seconds([&] { EXPECT_EQ(quick.grep("t.o").total, 1u); }), 1.0);
  }
  busy.join();
}

}  // namespace
}  // namespace knarr
