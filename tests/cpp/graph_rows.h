// Rows for tests of the graph: clusters, as texts about the same things are.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <vector>

#include "vectors/graph/graph.h"
#include "vectors/graph_plan.h"
#include "vectors/search.h"
#include "vectors/store.h"

namespace knarr {

// Tests that need a graph are skipped where this build has none.
#define SKIP_WITHOUT_GRAPH() \
  if (!Graph::is_built_in()) GTEST_SKIP() << "built without USearch's headers"

inline constexpr std::size_t kGraphDim = 64;
inline constexpr std::atomic<bool> kNoStop{false};
inline constexpr auto kByRow = [](Row a, Row b) { return a < b; };

// n vectors, twenty near each of n / 20 centres, in a mixed order.
inline std::vector<float> clusters(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> centres((n / 20 + 1) * kGraphDim);
  for (float& x : centres) x = normal(random);
  std::vector<float> out(n * kGraphDim);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t centre = random() % (n / 20 + 1);
    for (std::size_t d = 0; d < kGraphDim; ++d) {
      out[i * kGraphDim + d] = centres[centre * kGraphDim + d] + 0.5f * normal(random);
    }
  }
  return out;
}

inline VectorStore graph_store(std::size_t n, unsigned seed = 1) {
  VectorStore store(kGraphDim);
  store.append(clusters(n, seed), n);
  return store;
}

inline GraphPtr build_graph(const VectorStore& store, const RowSet& live,
                            const Graph* base = nullptr) {
  return Graph::build(base, rows_for_graph(store.view()), live, kNoStop);
}

inline RowSet one_in(Row step, Row end) {
  RowSet out;
  for (Row row = 0; row < end; row += step) out.add_range(row, row + 1);
  return out;
}

inline TopKResult graph_search(const Graph& graph, const VectorView& view, const RowSet& allowed,
                               const float* query, std::size_t k, PlanWish plan,
                               double recall_target = 0.9) {
  const RowLess before(kByRow);
  SearchHow how;
  how.plan = plan;
  how.graph = &graph;
  how.recall_target = recall_target;
  return top_k(view, allowed, query, k, before, how);
}

}  // namespace knarr
