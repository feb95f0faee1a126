// Plan "graph": candidates from the graph, the rows that are not in it yet, exact scores for all.
//
// It is for those who ask for it. Beside the scan of codes it pays for wide scopes of large stores
// and low recall targets only (bench/README.md), so the plan "auto" never takes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "filter/rows.h"
#include "vectors/graph/graph.h"
#include "vectors/rerank.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

// The rows of a view as a graph reads them. Requires view.has_quantised_rows().
GraphRows rows_for_graph(const VectorView& view);

// HNSW's ef for k results:  2 k + 20 / (1 - recall_target), rounded. The target is aimed at, not
// kept: what is found depends on the data and the query, and queries near a row find more than
// others (bench/README.md). 0 where another plan must answer: with a recall target of 1, where ef
// exceeds a sixteenth of the graph, where the filter allows less than an eighth of it, and where
// more rows are outside the graph than an eighth of its size.
std::size_t graph_expansion(const Graph& graph, const RowSet& allowed, std::size_t k,
                            double recall_target);

struct GraphSearched {
  Reranked found;              // not done: it has fewer than min(k, rows allowed) rows
  std::uint64_t compared = 0;  // quantised rows
  double search_us = 0;
  double rerank_us = 0;
};

// The k best of what the graph finds and of the allowed rows outside it, for a unit vector as the
// kernel takes it. Requires k >= 1, and a graph of the view's rows.
GraphSearched graph_top_k(const Graph& graph, const VectorView& view, const RowSet& allowed,
                          const float* query, std::size_t k, std::size_t expansion,
                          const RowLess& before, const ScoreKernel& kernel, bool explain);

}  // namespace knarr
