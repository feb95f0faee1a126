// The facade: what its header promises, beside brute force.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine_batch.h"

namespace knarr {
namespace {

TEST(Engine, EmptyAnswersEmpty) {
  Engine engine(kDim);
  Vectors vectors(1);
  const auto query = vectors.next();
  EXPECT_EQ(engine.search(query, {}).size(), 0u);
  EXPECT_EQ(engine.search_batch({}, {}).size(), 0u);
  EXPECT_EQ(engine.list("viking://", 0, 10).total, 0u);
  EXPECT_EQ(engine.grep("x", kScheme, {}, {}).outcome, GrepOutcome::kNoMatches);
  EXPECT_EQ(all_text(engine, "viking://"), "");
  EXPECT_TRUE(engine.exists("viking://"));
  EXPECT_FALSE(engine.exists("viking://a"));
  EXPECT_EQ(code_of([&] { engine.search(query, {.scope = "viking://a"}); }), ErrorCode::kNotFound);
  EXPECT_EQ(code_of([&] { engine.search(query, {.k = 0}); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { Engine none(0); }), ErrorCode::kInvalidArgument);
}

TEST(Engine, SearchEqualsBruteForce) {
  Engine engine(kDim);
  Vectors vectors(2);
  Batch batch;
  for (int i = 0; i < 600; ++i) {
    batch.add("viking://d" + std::to_string(i % 7) + "/s" + std::to_string(i % 3) + "/" +
                  std::to_string(i),
              vectors.next(), "", i % 5 == 0 ? Kind::kAbstract : Kind::kChunk);
  }
  engine.add(batch.objects());
  for (const char* scope : {"viking://", "viking://d3", "viking://d3/s1/"}) {
    for (const Kinds kinds : {Kinds{1}, Kinds{2}, kAllKinds}) {
      const auto query = vectors.next();
      std::vector<std::pair<double, std::string>> expected;
      for (std::size_t i = 0; i < batch.uris.size(); ++i) {
        if (!batch.uris[i].starts_with(scope) || (kinds & kind_bit(batch.kinds[i])) == 0) continue;
        double dot = 0, length = 0;
        for (std::size_t j = 0; j < kDim; ++j) {
          dot += double{query[j]} * batch.vectors[i * kDim + j];
          length += double{batch.vectors[i * kDim + j]} * batch.vectors[i * kDim + j];
        }
        expected.emplace_back(-dot / std::sqrt(length), batch.uris[i]);
      }
      std::ranges::sort(expected);
      SearchOptions options{.scope = scope, .k = 20, .offset = 3, .filter = {kinds, {}}};
      const Hits hits = engine.search(query, options);
      EXPECT_EQ(hits.rows_allowed, expected.size());
      ASSERT_EQ(hits.size(), std::min<std::size_t>(20, expected.size() - 3));
      for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits.uri(i), expected[i + 3].second);
    }
  }
}

// Equal vectors: the order is that of the URIs as strings, where '-' sorts before '/'.
TEST(Engine, EqualScoresAreOrderedByUri) {
  Engine engine(kDim);
  Vectors vectors(3);
  const auto same = vectors.next();
  Batch batch;
  for (const char* name : {"b/x", "b-c", "b0", "a b", "a%2Fb", "é", "z/1", "z/0", "z-"}) {
    batch.add(std::string("viking://") + name, same);
  }
  engine.add(batch.objects());
  auto found = uris_of(engine.search(same, {.k = 100}));
  ASSERT_EQ(found.size(), batch.uris.size());
  EXPECT_TRUE(std::ranges::is_sorted(found));
}

TEST(Engine, AddIsAllOrNothing) {
  Engine engine(kDim);
  Vectors vectors(4);
  Batch good;
  good.add("viking://a/1", vectors.next(), "one");
  engine.add(good.objects());
  const auto version = engine.stats().version;
  const auto refused = [&](const std::function<void(Batch&)>& spoil, ErrorCode code) {
    Batch batch;
    batch.add("viking://b/1", vectors.next(), "two");
    batch.add("viking://b/2", vectors.next(), "three");
    spoil(batch);
    EXPECT_EQ(code_of([&] { engine.add(batch.objects()); }), code);
  };
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  refused([](Batch& b) { b.uris[1] = "viking://a/1"; }, ErrorCode::kAlreadyExists);
  refused([](Batch& b) { b.uris[1] = b.uris[0]; }, ErrorCode::kAlreadyExists);
  refused([](Batch& b) { b.uris[1] = "viking://a"; }, kInvalid);
  refused([](Batch& b) { b.uris[1] = "viking://a/1/2"; }, kInvalid);
  refused([](Batch& b) { b.uris[1] = "viking://"; }, kInvalid);
  refused([](Batch& b) { b.vectors[kDim] = std::numeric_limits<float>::quiet_NaN(); }, kInvalid);
  refused([](Batch& b) { b.vectors[kDim] = std::numeric_limits<float>::infinity(); }, kInvalid);
  refused([](Batch& b) { std::fill_n(b.vectors.begin() + kDim, kDim, 0.0f); }, kInvalid);
  refused([](Batch& b) { b.vectors.pop_back(); }, kInvalid);
  refused([](Batch& b) { b.texts[1] = "\xff"; }, kInvalid);
  refused([](Batch& b) { b.texts.pop_back(); }, kInvalid);
  refused([](Batch& b) { b.kinds.pop_back(); }, kInvalid);
  EXPECT_EQ(engine.stats().version, version);
  EXPECT_EQ(engine.size(), 1u);
  EXPECT_FALSE(engine.exists("viking://b"));
  // Later objects get the right rows, although drafts were dropped before.
  Batch more;
  more.add("viking://b/1", vectors.next(), "two");
  const RowRange rows = engine.add(more.objects());
  EXPECT_EQ(all_text(engine, "viking://b/1"), "two");
  const Hits hits = engine.search(more.vectors, {.k = 1});
  EXPECT_EQ(hits.rows[0].row, rows.begin);
  EXPECT_EQ(hits.uri(0), "viking://b/1");
}

TEST(Engine, ABadVectorIsNamedByItsUri) {
  Engine engine(kDim);
  Vectors vectors(5);
  Batch batch;
  batch.add("viking://a/good", vectors.next());
  batch.add("viking://a/bad", std::vector<float>(kDim, 0.0f));
  try {
    engine.add(batch.objects());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("viking://a/bad"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace knarr
