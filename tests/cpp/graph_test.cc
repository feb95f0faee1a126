// The graph and its walks beside the exact plan.
#include "vectors/graph/graph.h"

#include <algorithm>
#include <set>
#include <string>

#include "graph_rows.h"
#include "vectors/graph/graph_search.h"
#include "vectors/graph/graph_walk.h"

namespace knarr {
namespace {

constexpr Row kRows = 6000;

struct GraphTest : testing::Test {
  void SetUp() override {
    SKIP_WITHOUT_GRAPH();
    static const VectorStore rows = graph_store(kRows);
    static const GraphPtr made =
        Graph::grow(nullptr, rows.view(), RowSet::range(0, kRows), kNoStop);
    store = &rows;
    graph = made;
  }

  std::vector<float> query(unsigned i) const {
    std::mt19937 random(i);
    std::normal_distribution<float> normal;
    std::vector<float> out(kGraphDim);
    const float* near = store->view().row(random() % kRows);
    for (std::size_t d = 0; d < kGraphDim; ++d) out[d] = near[d] + 0.05f * normal(random);
    return out;
  }

  // The share of the exact plan's rows that the graph's plan found.
  double recall(const RowSet& allowed, std::size_t k) const {
    std::size_t found = 0, all = 0;
    for (unsigned i = 0; i < 200; ++i) {
      const auto q = query(i);
      const auto view = store->view();
      const auto truth = graph_search(*graph, view, allowed, q.data(), k, PlanWish::kExact);
      const auto got = graph_search(*graph, view, allowed, q.data(), k, PlanWish::kGraph);
      EXPECT_STREQ(got.plan, "graph");
      EXPECT_EQ(got.rows.size(), truth.rows.size());
      for (const ScoredRow& each : got.rows) EXPECT_TRUE(allowed.contains(each.row));
      for (const ScoredRow& each : truth.rows) {
        found += std::ranges::any_of(got.rows, [&](const ScoredRow& other) {
          return other.row == each.row && other.score == each.score;
        });
      }
      all += truth.rows.size();
    }
    return static_cast<double>(found) / static_cast<double>(all);
  }

  const VectorStore* store = nullptr;
  GraphPtr graph;
};

TEST_F(GraphTest, FindsTheNearestWithAndWithoutAFilter) {  // far more than is asked for
  EXPECT_GE(recall(RowSet::range(0, kRows), 10), 0.98);
  EXPECT_GE(recall(RowSet::range(0, kRows), 1), 0.98);
  EXPECT_GE(recall(RowSet::range(0, kRows), 100), 0.98);
  EXPECT_GE(recall(one_in(2, kRows), 10), 0.98);
  EXPECT_GE(recall(one_in(5, kRows), 10), 0.98);
  EXPECT_GE(recall(RowSet::range(kRows / 4, kRows / 2), 10), 0.98);
}

TEST_F(GraphTest, ResultsAreFullHoweverFewRowsAreAllowed) {
  for (const Row step : {100u, 1000u, 4000u, kRows}) {
    const RowSet allowed = one_in(step, kRows);
    for (unsigned i = 0; i < 20; ++i) {
      const auto q = query(i);
      const auto view = store->view();
      const auto truth = graph_search(*graph, view, allowed, q.data(), 10, PlanWish::kExact);
      const auto got = graph_search(*graph, view, allowed, q.data(), 10, PlanWish::kGraph);
      ASSERT_EQ(got.rows.size(), truth.rows.size()) << step;
      EXPECT_EQ(got.rows[0].score, truth.rows[0].score) << step;  // narrow: by another plan
    }
  }
  EXPECT_TRUE(graph_search(*graph, store->view(), RowSet(), query(1).data(), 5, PlanWish::kGraph)
                  .rows.empty());
}

TEST_F(GraphTest, AnAutomaticPlanIsExactInNarrowScopes) {
  const auto got = graph_search(*graph, store->view(), RowSet::range(0, kRows), query(1).data(), 10,
                                PlanWish::kAuto);
  EXPECT_STREQ(got.plan, "exact");
}

TEST_F(GraphTest, AWalkIsBounded) {
  const auto q = query(1);
  const QuantisedQuery quantised_query(q, graph->shape());
  const RowSet none;
  const Walked walked = walk(*graph, quantised_query, 64, none, 500, quantised_cosines());
  EXPECT_FALSE(walked.is_done);
  EXPECT_LE(walked.compared, 500 + kMostLinks);
  const Walked all = walk(*graph, quantised_query, 64, none, kRows + 1000, quantised_cosines());
  EXPECT_TRUE(all.is_done);
  EXPECT_TRUE(all.nearest.empty());
  EXPECT_GT(all.compared, kRows * 0.99);  // every slot is reached
}

TEST_F(GraphTest, ABatchAnswersAsEachQueryAlone) {
  std::vector<float> queries;
  for (unsigned i = 0; i < 20; ++i) {
    const auto q = query(i);
    queries.insert(queries.end(), q.begin(), q.end());
  }
  const RowLess before(kByRow);
  SearchHow how;
  how.plan = PlanWish::kGraph;
  how.graph = graph.get();
  how.recall_target = 0.9;
  const auto view = store->view();
  const RowSet all = RowSet::range(0, kRows);
  const auto batch = top_k_batch(view, all, queries.data(), 20, 10, before, how);
  for (unsigned i = 0; i < 20; ++i) {
    const auto alone = top_k(view, all, queries.data() + i * kGraphDim, 10, before, how);
    ASSERT_EQ(batch[i].rows.size(), alone.rows.size());
    for (std::size_t j = 0; j < alone.rows.size(); ++j) {
      EXPECT_EQ(batch[i].rows[j].row, alone.rows[j].row);
      EXPECT_EQ(batch[i].rows[j].score, alone.rows[j].score);
    }
  }
}

std::string bytes_of(const GraphLinks& links) {
  std::string out;
  links.write([&](std::span<const std::byte> piece) {
    out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return out;
}

TEST(Graph, IsAFunctionOfItsRowsNotOfTheStepsItGrewIn) {
  SKIP_WITHOUT_GRAPH();
  VectorStore store(kGraphDim);
  const auto values = clusters(1500, 3);
  const std::span<const float> all(values);
  store.append(all.first(500 * kGraphDim), 500);
  GraphPtr steps = Graph::grow(nullptr, store.view(), RowSet::range(0, 500), kNoStop);
  store.append(all.subspan(500 * kGraphDim), 1000);
  steps = Graph::grow(steps.get(), store.view(), RowSet::range(0, 1100), kNoStop);
  EXPECT_EQ(steps->rows_end(), 1500u);
  EXPECT_EQ(steps->size(), 1100u);
  const GraphPtr once = Graph::grow(nullptr, store.view(), RowSet::range(0, 1100), kNoStop);
  EXPECT_EQ(bytes_of(steps->links()), bytes_of(once->links()));
}

TEST(Graph, RowsAddedLaterAreFoundAndRowsThatAreGoneAreNot) {
  SKIP_WITHOUT_GRAPH();
  VectorStore store = graph_store(3000, 4);
  const GraphPtr graph = Graph::grow(nullptr, store.view(), RowSet::range(0, 3000), kNoStop);
  const auto later = clusters(100, 5);
  store.append(later, 100);
  RowSet live = RowSet::range(0, 3100);
  live.remove_range(0, 1000);
  live.remove_range(3050, 3060);
  for (Row i = 0; i < 100; ++i) {
    const float* query = later.data() + i * kGraphDim;
    const auto got = graph_search(*graph, store.view(), live, query, 10, PlanWish::kGraph);
    EXPECT_STREQ(got.plan, "graph");
    ASSERT_EQ(got.rows.size(), 10u);
    EXPECT_EQ(got.rows[0].row == 3000 + i, live.contains(3000 + i));
    for (const ScoredRow& each : got.rows) EXPECT_TRUE(live.contains(each.row));
  }
}

TEST(Graph, MakingOneStopsWhenAsked) {
  SKIP_WITHOUT_GRAPH();
  const VectorStore store = graph_store(100, 6);
  const std::atomic<bool> stop{true};
  EXPECT_EQ(Graph::grow(nullptr, store.view(), RowSet::range(0, 100), stop), nullptr);
}

TEST(Graph, ManyEqualRowsFillAResult) {
  SKIP_WITHOUT_GRAPH();
  VectorStore store(kGraphDim);
  auto values = clusters(2000, 7);
  for (std::size_t i = kGraphDim; i < 1000 * kGraphDim; ++i) values[i] = values[i - kGraphDim];
  store.append(values, 2000);
  const RowSet all = RowSet::range(0, 2000);
  const GraphPtr graph = Graph::grow(nullptr, store.view(), all, kNoStop);
  const auto got = graph_search(*graph, store.view(), all, values.data(), 50, PlanWish::kGraph);
  ASSERT_EQ(got.rows.size(), 50u);
  EXPECT_NEAR(got.rows[49].score, 1, 1e-5);
}

TEST(GraphTuning, MoreIsComparedForMoreAndUnderAFilter) {
  SKIP_WITHOUT_GRAPH();
  const VectorStore store = graph_store(3000, 8);
  const GraphPtr graph = Graph::grow(nullptr, store.view(), RowSet::range(0, 3000), kNoStop);
  const GraphTuning& tuning = graph->tuning();
  EXPECT_EQ(tuning.slots(), 3000u);
  EXPECT_GT(tuning.compare_ns(), 0);
  for (std::size_t i = 1; i < tuning.efforts().size(); ++i) {
    EXPECT_GE(tuning.efforts()[i].recall, tuning.efforts()[i - 1].recall - 0.01);
    EXPECT_GT(tuning.efforts()[i].compared, tuning.efforts()[i - 1].compared);
  }
  EXPECT_GT(tuning.compared(64, 0.5), tuning.compared(64, 1));
  EXPECT_EQ(tuning.compared(512, 1e-6), 3000);
  EXPECT_NE(tuning.expansion(10, 0.9), 0u);
  EXPECT_GE(tuning.expansion(100, 0.9), tuning.expansion(10, 0.9) + 180);
  EXPECT_EQ(tuning.expansion(10, 1), 0u);
  EXPECT_EQ(tuning.expansion(kMostGraphResults + 1, 0.9), 0u);
  EXPECT_EQ(GraphTuning().expansion(10, 0.9), 0u);
}

}  // namespace
}  // namespace knarr
