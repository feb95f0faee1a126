// Search: the best rows of a filter for a query, by a plan chosen from what is asked.
//
// Promises, whatever the plan: the filter applies before top-k, so a result has min(k, rows
// allowed) rows; the order is score descending, then `before`; equal vectors have equal scores to
// the bit; a query asked alone and in a batch has the same result; the number of threads changes
// nothing. Scores are cosines: rows are unit vectors and queries are scaled to be.
//
// Threads: any number of calls at once; a call reads its view without locks and may start threads
// of its own for large scans.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/types.h"
#include "filter/rows.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

struct TopKResult {
  std::vector<ScoredRow> rows;
  const char* plan = "";  // how they were found: "exact"; a literal
};

// `query` holds view.dim() floats of any length but zero. Rows of `allowed` beyond the view are
// ignored. Throws Error kInvalidArgument when k is zero or the query has no direction (zero, NaN or
// infinite components).
TopKResult top_k(const VectorView& view, const RowSet& allowed, const float* query, std::size_t k,
                 const RowLess& before);

// `queries` is (n_queries, view.dim()) in C order; one result for each, in order. Rows are read
// once for many queries. A bad query is named by its index, and none is answered.
std::vector<TopKResult> top_k_batch(const VectorView& view, const RowSet& allowed,
                                    const float* queries, std::size_t n_queries, std::size_t k,
                                    const RowLess& before);

}  // namespace knarr
