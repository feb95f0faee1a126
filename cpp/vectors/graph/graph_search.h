// Plan "graph": a walk to candidates, the rows that are not in the graph yet, exact scores for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/rows.h"
#include "vectors/graph/graph.h"
#include "vectors/rerank.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

// A walk that compares more than one in so many slots is given up, and not begun when it is
// expected to: by then a scan is faster, whatever the machine.
inline constexpr std::uint64_t kMostWalked = 16;
inline constexpr std::uint64_t kLeastWalked = 4096;  // which every walk may compare

// What a search in a graph is expected to take.
struct GraphWork {
  std::size_t expansion = 0;  // 0: the graph is not for this
  double ns = 0;
};
GraphWork graph_work(const Graph& graph, std::uint64_t rows_allowed, std::size_t k,
                     double recall_target);

struct GraphSearched {
  Reranked found;              // not done: given up
  std::uint64_t compared = 0;  // rows and slots
  double walk_us = 0;
  double rerank_us = 0;
};

// The k best of `allowed` for a query, a unit vector as the kernel takes it. Requires k >= 1, a
// graph of the view's rows that is not empty, and allowed within the view. Results have min(k, rows
// allowed) rows when done.
GraphSearched graph_top_k(const Graph& graph, const VectorView& view, const RowSet& allowed,
                          const float* query, std::size_t k, std::size_t expansion,
                          const RowLess& before, const ScoreKernel& kernel, bool explain);

}  // namespace knarr
