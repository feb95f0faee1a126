// The graph and the plan that searches it, beside the exact plan.
#include "vectors/graph/graph.h"

#include <algorithm>
#include <string>
#include <thread>

#include "base/error.h"
#include "graph_rows.h"

namespace knarr {
namespace {

constexpr Row kRows = 8000;

struct GraphTest : testing::Test {
  void SetUp() override {
    SKIP_WITHOUT_GRAPH();
    static const VectorStore rows = graph_store(kRows);
    static const GraphPtr made = build_graph(rows, RowSet::range(0, kRows));
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

// The rule of graph_plan.h, and that the plan which ran is the one reported.
TEST_F(GraphTest, IsSearchedWhereItIsAskedForAndWorthIt) {
  const RowSet all = RowSet::range(0, kRows);
  EXPECT_EQ(graph_expansion(*graph, all, 10, 0.9), 220u);
  EXPECT_EQ(graph_expansion(*graph, all, 100, 0.9), 400u);
  EXPECT_EQ(graph_expansion(*graph, all, 10, 0.5), 60u);
  EXPECT_EQ(graph_expansion(*graph, all, 10, 0.99), 0u);   // more than a sixteenth of the graph
  EXPECT_EQ(graph_expansion(*graph, all, 1000, 0.9), 0u);  // so are these
  EXPECT_EQ(graph_expansion(*graph, all, 10, 1), 0u);
  EXPECT_NE(graph_expansion(*graph, one_in(8, kRows), 10, 0.9), 0u);
  EXPECT_EQ(graph_expansion(*graph, one_in(9, kRows), 10, 0.9), 0u);
  EXPECT_NE(graph_expansion(*graph, RowSet::range(0, kRows + kRows / 8), 10, 0.9), 0u);
  EXPECT_EQ(graph_expansion(*graph, RowSet::range(0, kRows + kRows / 7), 10, 0.9), 0u);

  const auto q = query(1);
  const auto plan = [&](PlanWish wish, double recall_target) {
    return std::string(
        graph_search(*graph, store->view(), all, q.data(), 10, wish, recall_target).plan);
  };
  EXPECT_EQ(plan(PlanWish::kGraph, 0.9), "graph");
  EXPECT_EQ(plan(PlanWish::kGraph, 0.99), "exact");
  EXPECT_EQ(plan(PlanWish::kAuto, 0.9), "exact");
}

TEST(Graph, IsNeverSearchedByThePlanAuto) {
  SKIP_WITHOUT_GRAPH();
  const VectorStore store = graph_store(12'000, 9);  // more than are always answered exactly
  const GraphPtr graph = build_graph(store, RowSet::range(0, 12'000));
  const RowSet all = RowSet::range(0, 12'000);
  for (const double recall_target : {0.1, 0.5, 0.9, 0.99}) {
    const auto got = graph_search(*graph, store.view(), all, store.view().row(7), 10,
                                  PlanWish::kAuto, recall_target);
    EXPECT_STRNE(got.plan, "graph");
  }
}

TEST_F(GraphTest, EverySlotIsReached) {
  const auto q = query(1);
  const QuantisedQuery quantised_query(q, rows_for_graph(store->view()).shape);
  const RowSet all = RowSet::range(0, kRows);
  const GraphSearch wide = graph->search(quantised_query, all, kRows);
  EXPECT_GT(wide.rows.size(), kRows * 0.99);
  EXPECT_GE(wide.compared, wide.rows.size());
  const GraphSearch narrow = graph->search(quantised_query, all, 50);
  EXPECT_EQ(narrow.rows.size(), 50u);
  EXPECT_LT(narrow.compared, kRows / 2);
  EXPECT_TRUE(graph->search(quantised_query, RowSet(), 50).rows.empty());
}

// More searches at a time than there are work areas; each answers as it would alone.
TEST_F(GraphTest, ManyThreadsSearchAtOnce) {
  constexpr unsigned kThreads = 70;
  const RowSet allowed = one_in(2, kRows);
  const auto view = store->view();
  std::vector<std::vector<ScoredRow>> alone(kThreads), together(kThreads);
  const auto ask = [&](unsigned i) {
    const auto q = query(i);
    return graph_search(*graph, view, allowed, q.data(), 10, PlanWish::kGraph).rows;
  };
  for (unsigned i = 0; i < kThreads; ++i) alone[i] = ask(i);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 3; ++repeat) together[i] = ask(i);
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(alone, together);
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

std::vector<std::byte> bytes_of(const Graph& graph) {
  std::vector<std::byte> out;
  graph.save(
      [&](std::span<const std::byte> piece) { out.insert(out.end(), piece.begin(), piece.end()); });
  return out;
}

TEST(Graph, IsAFunctionOfItsRowsNotOfTheStepsItGrewIn) {
  SKIP_WITHOUT_GRAPH();
  VectorStore store(kGraphDim);
  const auto values = clusters(1500, 3);
  const std::span<const float> all(values);
  store.append(all.first(500 * kGraphDim), 500);
  GraphPtr steps = build_graph(store, RowSet::range(0, 500));
  store.append(all.subspan(500 * kGraphDim), 1000);
  steps = build_graph(store, RowSet::range(0, 1100), steps.get());
  EXPECT_EQ(steps->rows_end(), 1500u);
  EXPECT_EQ(steps->size(), 1100u);
  const GraphPtr once = build_graph(store, RowSet::range(0, 1100));
  EXPECT_EQ(bytes_of(*steps), bytes_of(*once));
}

// Rows that were removed since lead to others after a load as before, and the graph grows on.
TEST(Graph, BytesBringItBackWithRemovedRows) {
  SKIP_WITHOUT_GRAPH();
  VectorStore store = graph_store(1200, 10);
  const GraphPtr graph = build_graph(store, RowSet::range(0, 1200));
  const RowSet kept = RowSet::range(200, 1200);
  const auto bytes = bytes_of(*graph);
  const GraphRows rows = rows_for_graph(store.view());
  const GraphPtr again = Graph::load(bytes, rows, kept);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->size(), 1200u);
  EXPECT_EQ(again->rows_end(), 1200u);
  for (Row i = 0; i < 50; ++i) {
    const std::span<const float> q(store.view().row(i), kGraphDim);
    const GraphSearch before = graph->search(QuantisedQuery(q, rows.shape), kept, 30);
    const GraphSearch after = again->search(QuantisedQuery(q, rows.shape), kept, 30);
    EXPECT_EQ(before.rows, after.rows);
    EXPECT_EQ(before.compared, after.compared);
  }
  EXPECT_EQ(bytes_of(*again), bytes);
  const auto later = clusters(100, 11);
  store.append(later, 100);
  const RowSet grown_rows = RowSet::range(200, 1300);
  const GraphPtr grown = build_graph(store, grown_rows, again.get());
  EXPECT_EQ(grown->size(), 1300u);
  for (Row i = 0; i < 100; ++i) {
    const auto got = graph_search(*grown, store.view(), grown_rows, later.data() + i * kGraphDim, 1,
                                  PlanWish::kGraph, 0.5);
    EXPECT_STREQ(got.plan, "graph");
    EXPECT_EQ(got.rows.at(0).row, 1200 + i);
  }
}

GraphPtr load_all(std::span<const std::byte> bytes, GraphRows rows, Row n) {
  rows.end = n;
  try {
    return Graph::load(bytes, rows, RowSet::range(0, n));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorruption);
    return nullptr;
  }
}

// Whatever the bytes are, what is read of them can be searched.
TEST(Graph, BytesAreNotBelieved) {
  SKIP_WITHOUT_GRAPH();
  const VectorStore store = graph_store(300);
  const GraphRows rows = rows_for_graph(store.view());
  const auto bytes = bytes_of(*build_graph(store, RowSet::range(0, 300)));
  const std::span<const std::byte> all(bytes);
  EXPECT_NE(load_all(all, rows, 300), nullptr);
  EXPECT_NE(Graph::load(all, rows, RowSet::range(0, 299)), nullptr);  // one was removed
  EXPECT_EQ(load_all(all, rows, 299), nullptr);
  const auto fewer = bytes_of(*build_graph(store, RowSet::range(10, 300)));
  EXPECT_NE(Graph::load(fewer, rows, RowSet::range(10, 300)), nullptr);
  EXPECT_EQ(Graph::load(fewer, rows, RowSet::range(9, 300)), nullptr);  // lacks a live row
  for (const std::size_t n : {0u, 3u, 40u, 64u, 700u, 2000u}) {
    EXPECT_EQ(load_all(all.first(n), rows, 300), nullptr) << n;
  }
  EXPECT_EQ(load_all(all.first(bytes.size() - 1), rows, 300), nullptr);
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(load_all(longer, rows, 300), nullptr);
  std::mt19937 random(1);
  const std::span<const float> q(store.view().row(7), kGraphDim);
  for (int i = 0; i < 5000; ++i) {  // the first bits are all tried: heads and levels
    std::vector<std::byte> bad = bytes;
    const std::size_t at = i < 2500 ? static_cast<std::size_t>(i) : random() % bad.size();
    bad[at] ^= static_cast<std::byte>(1u << random() % 8);
    const GraphPtr graph = load_all(bad, rows, 300);
    if (graph == nullptr) continue;
    const GraphSearch got =
        graph->search(QuantisedQuery(q, rows.shape), RowSet::range(0, 300), 300);
    EXPECT_LE(got.rows.size(), 300u);
  }
}

RowSet row_set(const std::vector<ScoredRow>& rows) {
  RowSet out;
  for (const ScoredRow& each : rows) out.add_range(each.row, each.row + 1);
  return out;
}

TEST(Graph, RowsAddedLaterAreFoundAndRowsThatAreGoneAreNot) {
  SKIP_WITHOUT_GRAPH();
  VectorStore store = graph_store(3000, 4);
  const GraphPtr graph = build_graph(store, RowSet::range(0, 3000));
  const auto later = clusters(100, 5);
  store.append(later, 100);
  RowSet live = RowSet::range(0, 3100);
  live.remove_range(0, 1000);
  live.remove_range(3050, 3060);
  for (Row i = 0; i < 100; ++i) {
    const float* query = later.data() + i * kGraphDim;
    const auto got = graph_search(*graph, store.view(), live, query, 10, PlanWish::kGraph, 0.8);
    EXPECT_STREQ(got.plan, "graph");
    ASSERT_EQ(got.rows.size(), 10u);
    EXPECT_EQ(got.rows[0].row == 3000 + i, live.contains(3000 + i));
    const RowSet found = row_set(got.rows);
    const auto exact = graph_search(*graph, store.view(), found, query, 10, PlanWish::kExact);
    EXPECT_EQ(got.rows, exact.rows);  // scores and order are those of the exact plan
    for (const ScoredRow& each : got.rows) EXPECT_TRUE(live.contains(each.row));
  }
}

TEST(Graph, BuildingOneStopsWhenAsked) {
  SKIP_WITHOUT_GRAPH();
  const VectorStore store = graph_store(100, 6);
  const std::atomic<bool> stop{true};
  EXPECT_EQ(Graph::build(nullptr, rows_for_graph(store.view()), RowSet::range(0, 100), stop),
            nullptr);
}

TEST(Graph, ManyEqualRowsFillAResult) {
  SKIP_WITHOUT_GRAPH();
  VectorStore store(kGraphDim);
  auto values = clusters(4000, 7);
  for (std::size_t i = kGraphDim; i < 1000 * kGraphDim; ++i) values[i] = values[i - kGraphDim];
  store.append(values, 4000);
  const RowSet all = RowSet::range(0, 4000);
  const GraphPtr graph = build_graph(store, all);
  const auto got =
      graph_search(*graph, store.view(), all, values.data(), 50, PlanWish::kGraph, 0.8);
  EXPECT_STREQ(got.plan, "graph");
  ASSERT_EQ(got.rows.size(), 50u);
  EXPECT_NEAR(got.rows[49].score, 1, 1e-5);
}

}  // namespace
}  // namespace knarr
