// Grep: what it must find, whatever borders, letters and line ends there are (BEHAVIOURS GREP-02).
#include "grep/grep.h"

#include <gtest/gtest.h>

#include "grep_texts.h"

namespace knarr {
namespace {

// --- matches and rows

TEST(Grep, FindsOverChunkBordersOnce) {
  TextStore store;
  store.append("the late fee is due", std::vector<Slice>{{4, 0, 7}, {5, 7, 10}, {6, 10, 19}});
  const auto result = grep(store.view(), RowSet::range(0, 10), "late fee", {});
  ASSERT_EQ(result.total, 1u);
  EXPECT_EQ(result.matches[0].rows, (std::vector<Row>{4, 5, 6}));
  EXPECT_EQ(result.matches[0].excerpt, "the late fee is due");

  // A row that may not be seen parts the text: no match over it, no word of it in an excerpt.
  RowSet allowed = RowSet::range(0, 10);
  allowed.remove_range(5, 6);
  EXPECT_EQ(grep(store.view(), allowed, "late fee", {}).outcome, GrepOutcome::kNoMatches);
  const auto late = grep(store.view(), allowed, "la", {});
  ASSERT_EQ(late.total, 1u);
  EXPECT_EQ(late.matches[0].excerpt, "the lat");
  EXPECT_EQ(late.bytes_allowed, 16u);
}

TEST(Grep, NeighboursAreContext) {
  TextStore store;
  store.append("foobar\nbaz", std::vector<Slice>{{0, 0, 3}, {1, 3, 6}, {2, 6, 10}});
  const auto in = [&](Row row, std::string_view pattern) {
    return grep(store.view(), RowSet::range(row, row + 1), pattern, {}).total;
  };
  EXPECT_EQ(in(0, R"(foo\b)"), 0u);  // the word goes on
  EXPECT_EQ(in(0, "foo$"), 0u);
  EXPECT_EQ(in(0, "^foo"), 1u);
  EXPECT_EQ(in(1, "^bar"), 0u);
  EXPECT_EQ(in(1, "bar$"), 1u);  // the line end is in the next slice
  EXPECT_EQ(in(1, R"(\Bbar\b)"), 1u);
  EXPECT_EQ(in(1, R"(bar\z)"), 0u);
  EXPECT_EQ(in(2, R"(baz\z)"), 1u);
  EXPECT_EQ(in(0, R"(\Afoo)"), 1u);
  EXPECT_EQ(in(2, R"(\Abaz)"), 0u);
}

TEST(Grep, OrderIsThatOfTheText) {
  Texts texts({"b a", "a b a"});
  const auto result = texts.grep("a");
  ASSERT_EQ(result.total, 3u);
  EXPECT_EQ(result.matches[0].block, 0u);
  EXPECT_EQ(places(result), (Places{"1:3 2-3", "1:1 0-1", "1:5 4-5"}));
}

// Rows of two blocks that alternate still give each block's text whole.
TEST(Grep, AlternatingRows) {
  TextStore store;
  store.append("aXXb", std::vector<Slice>{{0, 0, 2}, {2, 2, 4}});
  store.append("cXXd", std::vector<Slice>{{1, 0, 2}, {3, 2, 4}});
  const auto result = grep(store.view(), RowSet::range(0, 4), "XX", {});
  ASSERT_EQ(result.total, 2u);
  EXPECT_EQ(result.matches[0].rows, (std::vector<Row>{0, 2}));
  EXPECT_EQ(result.matches[1].rows, (std::vector<Row>{1, 3}));
}

TEST(Grep, ReleasedBlocksAreNotThere) {
  TextStore store;
  store.append("needle", std::vector<Slice>{{0, 0, 6}});
  store.append("needle", std::vector<Slice>{{1, 0, 6}});
  store.release(0);
  const auto result = grep(store.view(), RowSet::range(0, 2), "needle", {});
  EXPECT_EQ(result.total, 1u);
  EXPECT_EQ(result.bytes_allowed, 6u);
}

TEST(Grep, LiteralAndCase) {
  Texts texts({"a.c abc A.C É é $1 (x)"});
  GrepOptions literal;
  literal.literal = true;
  EXPECT_EQ(texts.grep("a.c").total, 2u);
  EXPECT_EQ(texts.grep("a.c", literal).total, 1u);
  EXPECT_EQ(texts.grep("$1 (x)", literal).total, 1u);
  GrepOptions any_case;
  any_case.ignore_case = true;
  EXPECT_EQ(texts.grep("a.c", any_case).total, 3u);
  EXPECT_EQ(texts.grep("abc", any_case).total, 1u);
  EXPECT_EQ(texts.grep("é", any_case).total, 2u);
  any_case.literal = true;
  EXPECT_EQ(texts.grep("a.c", any_case).total, 2u);
  EXPECT_EQ(texts.grep(R"((?i)a\.c)").total, 2u);
  EXPECT_EQ(texts.grep(R"(\Qa.c\E)").total, 1u);
}

TEST(Grep, AlternativesStayAlternatives) {  // the line-anchor flag covers all of them
  Texts texts({"fee\nx penalty\npenalty\n"});
  EXPECT_EQ(lines(texts.grep("^fee|^penalty")), (Lines{1, 3}));
  EXPECT_EQ(lines(texts.grep("fee$|x")), (Lines{1, 2}));
}

TEST(Grep, EmptyMatches) {
  EXPECT_EQ(places(Texts({"ab\n\ncd"}).grep("^")), (Places{"1:1 0-0", "2:1 3-3", "3:1 4-4"}));
  EXPECT_EQ(places(Texts({"ab\n\ncd"}).grep("$")), (Places{"1:3 2-2", "2:1 3-3", "3:3 6-6"}));
  EXPECT_EQ(places(Texts({"ab\ncd\n"}).grep("$")), (Places{"1:3 2-2", "2:3 5-5"}));
  EXPECT_EQ(places(Texts({"baab"}).grep("a*")), (Places{"1:1 0-0", "1:2 1-3", "1:5 4-4"}));
  EXPECT_EQ(Texts({"éé"}).grep(R"(\B)").total, 1u);  // never inside a character
  EXPECT_EQ(Texts({""}).grep("^$").outcome, GrepOutcome::kNoMatches);
}

TEST(Grep, PartsOfCharactersBecomeWholeOnes) {
  const auto result = Texts({"xéy"}).grep(R"(x\C)");
  EXPECT_EQ(places(result), (Places{"1:1 0-3"}));
}

// --- GREP-02

struct Endings {
  const char* name;
  std::string text;
};

std::vector<Endings> endings() {
  return {{"CRLF", "one\r\ntwo\r\n\r\nend"},
          {"LF", "one\ntwo\n\nend"},
          {"CR", "one\rtwo\r\rend"},
          {"mixed", "one\r\ntwo\n\rend"},
          {"CRLF, final", "one\r\ntwo\r\n\r\nend\r\n"},
          {"LF, final", "one\ntwo\n\nend\n"},
          {"CR, final", "one\rtwo\r\rend\r"}};
}

TEST(Grep02, AnchorsWorkWhateverTheLineEnds) {
  for (const auto& [name, text] : endings()) {
    SCOPED_TRACE(name);
    Texts texts({text});
    EXPECT_EQ(lines(texts.grep("one$")), (Lines{1}));
    EXPECT_EQ(lines(texts.grep("^two$")), (Lines{2}));
    EXPECT_EQ(lines(texts.grep("^$")), (Lines{3}));
    EXPECT_EQ(lines(texts.grep("^end$")), (Lines{4}));
    EXPECT_EQ(lines(texts.grep("o.e")), (Lines{1}));
    EXPECT_EQ(lines(texts.grep("$")), (Lines{1, 2, 3, 4}));
    EXPECT_EQ(lines(texts.grep("^")), (Lines{1, 2, 3, 4}));
    EXPECT_EQ(texts.grep("e.t").total, 0u);  // `.` matches no line end
    EXPECT_EQ(texts.grep("one.*two").total, 0u);
    EXPECT_EQ(lines(texts.grep(R"(one\ntwo)")), (Lines{1}));
    EXPECT_EQ(lines(texts.grep(R"(one\r\ntwo)")), (Lines{1}));
    EXPECT_EQ(lines(texts.grep(R"(one\s+two)")), (Lines{1}));
    const bool open = text.back() == 'd';  // \z is the end of the text, behind a final line end
    EXPECT_EQ(lines(texts.grep(R"(end\z)")), open ? (Lines{4}) : (Lines{}));
    EXPECT_EQ(texts.grep(R"(\s)").total, open ? 3u : 4u);  // each line end is one character
    for (const GrepMatch& match : texts.grep("one$|^two|n").matches) {
      EXPECT_EQ(match.excerpt.find_first_of("\r\n"), std::string::npos);
    }
    for (const GrepMatch& match : texts.grep(".+").matches) {
      EXPECT_EQ(text.substr(match.begin_byte, match.end_byte - match.begin_byte), match.excerpt);
    }
  }
}

TEST(Grep02, LiteralsMayHoldAnyLineEnd) {
  GrepOptions literal;
  literal.literal = true;
  for (const auto& [name, text] : endings()) {
    Texts texts({text});
    for (const char* pattern : {"one\ntwo", "one\r\ntwo", "one\rtwo"}) {
      const auto result = texts.grep(pattern, literal);
      ASSERT_EQ(result.total, 1u) << name;
      EXPECT_EQ(result.matches[0].excerpt, "one") << name;  // its first line
    }
  }
}

}  // namespace
}  // namespace knarr
