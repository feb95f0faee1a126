// Filters in the calls that take names: what holds no allowed row is missing, as what never was.
#include <gtest/gtest.h>

#include <set>

#include "engine/engine.h"
#include "engine_batch.h"

namespace knarr {
namespace {

Filter only(const RowSet& rows) { return {kAllKinds, rows}; }

class Filtered : public ::testing::Test {
 protected:
  // Rows 0 to 4: a document of three chunks and its abstract, then another document.
  void SetUp() override {
    Batch batch;
    batch.add("viking://k/doc/one/1", vectors_.next(), "first\n");
    batch.add("viking://k/doc/one/2", vectors_.next(), "second é\n");
    batch.add("viking://k/doc/two/1", vectors_.next(), "third\n");
    batch.add("viking://k/doc/.abstract.md", vectors_.next(), "ordinals", Kind::kAbstract);
    engine_.add(batch.objects("viking://k/doc"));
    Batch other;
    other.add("viking://k/other/1", vectors_.next(), "fourth");
    engine_.add(other.objects("viking://k/other"));
  }
  std::string text(std::string_view uri, const RowSet& rows) const {
    return engine_.read(uri, 0, std::nullopt, only(rows)).text;
  }
  Vectors vectors_{8};
  Engine engine_{kDim};
};

TEST_F(Filtered, TextIsThatOfTheAllowedChunks) {
  RowSet rows = RowSet::range(0, 1);
  rows.add_range(2, 4);
  EXPECT_EQ(text("viking://k/doc", rows), "first\nthird\n");
  const TextSpan span = engine_.read("viking://k", 0, std::nullopt, only(rows));
  EXPECT_EQ(span.text, "first\nthird\n");
  EXPECT_EQ(span.total_bytes, 12u);
  EXPECT_EQ(span.uris, (std::vector<std::string>{"viking://k/doc/one/1", "viking://k/doc/two/1"}));
  EXPECT_EQ(code_of([&] { text("viking://k/doc/one/2", rows); }), ErrorCode::kNotFound);
  EXPECT_EQ(code_of([&] { text("viking://k/other", rows); }), ErrorCode::kNotFound);
  EXPECT_EQ(text("viking://k/doc", RowSet::range(3, 4)), "");  // it is there for its abstract
  EXPECT_EQ(text("viking://", RowSet()), "");
}

TEST_F(Filtered, ChildrenWithoutAnAllowedRowAreNotListed) {
  const ListPage page = engine_.list("viking://k", 0, 10, only(RowSet::range(4, 5)));
  EXPECT_EQ(names_of(page), std::vector<std::string>{"other"});
  EXPECT_EQ(page.total, 1u);
  const ListPage doc = engine_.list("viking://k/doc", 1, 1, only(RowSet::range(1, 4)));
  EXPECT_EQ(names_of(doc), std::vector<std::string>{"two"});
  EXPECT_EQ(doc.total, 3u);
  const ListPage all = engine_.list("viking://k", 0, 10, only(RowSet::range(1, 4)));
  EXPECT_EQ(all.entries[0].rows, 3u);
  EXPECT_EQ(all.entries[0].preview, "ordinals");
  EXPECT_EQ(engine_.list("viking://k", 0, 10, only(RowSet::range(0, 2))).entries[0].preview, "");
  EXPECT_EQ(engine_.list("viking://", 0, 10, only(RowSet())).total, 0u);
}

// More children than are looked up together.
TEST_F(Filtered, PagesOfManyChildrenAgreeWithAList) {
  Batch batch;
  constexpr int kMany = 1'500;
  for (int i = 0; i < kMany; ++i) {
    batch.add("viking://many/" + std::to_string(i), vectors_.next(), "t");
  }
  const RowRange added = engine_.add(batch.objects());
  std::mt19937 random(3);
  for (const unsigned share : {2u, 50u, 1'000u}) {
    RowSet rows;
    std::vector<std::string> expected;
    for (Row row = added.begin; row < added.end; ++row) {
      if (random() % share != 0) continue;
      rows.add_range(row, row + 1);
      expected.push_back(std::to_string(row - added.begin));
    }
    rows.add_range(0, 1);
    std::vector<std::string> paged;
    for (std::int64_t offset = 0;; offset += 97) {
      const ListPage page = engine_.list("viking://many", offset, 97, only(rows));
      ASSERT_EQ(page.total, expected.size());
      if (page.entries.empty()) break;
      for (const std::string& name : names_of(page)) paged.push_back(name);
    }
    EXPECT_EQ(paged, expected);
  }
}

TEST_F(Filtered, RowsAreThoseOfTheScope) {
  const NumberedRows rows = engine_.rows("viking://k/doc");
  EXPECT_EQ(rows.rows, RowSet::range(0, 4));
  EXPECT_EQ(rows.generation, engine_.generation());
  EXPECT_EQ(engine_.rows("viking://k/doc", {kind_bit(Kind::kAbstract), {}}).rows,
            RowSet::range(3, 4));
  EXPECT_EQ(engine_.rows("viking://k", only(RowSet::range(3, 9))).rows, RowSet::range(3, 5));
  engine_.remove("viking://k/other");
  EXPECT_EQ(engine_.rows("viking://k").rows, RowSet::range(0, 4));
  ASSERT_TRUE(engine_.compact(0));
  const Filter old{kAllKinds, rows.rows, rows.generation};
  EXPECT_EQ(code_of([&] { engine_.exists("viking://nowhere", old); }), ErrorCode::kInvalidArgument);
}

TEST_F(Filtered, SeedsThatAreNotAllowedAreMissing) {
  const auto question = vectors_.next();
  const std::vector<std::string_view> from{"viking://k/doc/one/1"}, to{"viking://k/other/1"};
  engine_.add_edges({from, to, "what?", question, "t", ""});
  EXPECT_EQ(engine_.expand(from, question, {}).size(), 1u);
  EXPECT_EQ(engine_.expand(from, question, {.filter = only(RowSet::range(0, 5))}).size(), 1u);
  EXPECT_EQ(engine_.expand(from, question, {.filter = only(RowSet::range(0, 4))}).size(), 0u);
  EXPECT_EQ(code_of([&] { engine_.expand(from, question, {.filter = only(RowSet::range(1, 5))}); }),
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace knarr
