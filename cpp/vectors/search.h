// Search: the best rows of a filter for a query, by a plan chosen from what is asked.
//
// Promises, whatever the plan: the filter applies before top-k, so a result has min(k, rows
// allowed) rows; their scores are exact; the order is score descending, then `before`; equal
// vectors have equal scores to the bit; a query asked alone and in a batch has the same result; the
// number of threads changes nothing. Scores are cosines: rows are unit vectors and queries are
// scaled to be.
//
// What is found. The plan "exact" finds the true best rows. The plan "scan" (see code_scan.h) finds
// each of them with a probability of at least recall_target. The plan "graph" (see graph_plan.h)
// aims at recall_target, promises no recall, and runs only where it is asked for. By default
// ("auto") the plan is "exact" up to kExactRows allowed rows (planner.h), and beyond them the
// cheaper of "exact" and "scan": a section, a document or a small folder is always answered
// exactly, and a wide scope with the recall asked for. For exact results in every scope, ask for
// the plan "exact" or for a recall of 1. Pages of one ranking fit together without a gap or a
// repetition under the plan "exact" only.
//
// Deterministic: plan and result follow from the view, the filter, the query, k and SearchHow. They
// do not depend on the clock, the load of the machine or the number of threads; the same question
// has the same answer in another process. Scores may differ in their last bit between machines of
// different instruction sets.
//
// Threads: any number of calls at once. A call reads its view without locks and may start threads
// of its own for large scans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "filter/rows.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

class Graph;

enum class PlanWish : std::uint8_t { kAuto, kExact, kScan, kGraph };

struct SearchHow {
  // kScan needs rows with codes, else kExact. kGraph needs a graph that serves the question, else
  // kAuto. kAuto never takes the graph.
  PlanWish plan = PlanWish::kAuto;
  double recall_target = 0.99;   // over 0, at most 1
  bool explain = false;          // also measure times
  const Graph* graph = nullptr;  // of the view's rows, where there is one
};

// How a result was found. Times are zero unless asked for, and belong to the whole call: queries of
// a batch share them.
struct Explanation {
  std::uint64_t rows_allowed = 0;
  // Rows whose code was read (plan "scan"), or whose vector quantised or in full ("exact",
  // "graph").
  std::uint64_t rows_scanned = 0;
  std::uint64_t rows_reranked = 0;  // rows whose vector was read after that
  double plan_us = 0;               // to check the arguments and choose
  double scan_us = 0;
  double rerank_us = 0;
};

struct TopKResult {
  std::vector<ScoredRow> rows;
  const char* plan = "";  // how they were found: "exact", "scan" or "graph"; a literal
  Explanation explanation;
};

// `query` holds view.dim() floats of any length but zero. Rows of `allowed` beyond the view are
// ignored. Throws Error kInvalidArgument when k is zero, the recall target out of range, or the
// query has no direction (zero, NaN or infinite components).
TopKResult top_k(const VectorView& view, const RowSet& allowed, const float* query, std::size_t k,
                 const RowLess& before, const SearchHow& how = {});

// `queries` is (n_queries, view.dim()) in C order; one result for each, in order. Rows are read
// once for many queries. A bad query is named by its index, and none is answered.
std::vector<TopKResult> top_k_batch(const VectorView& view, const RowSet& allowed,
                                    const float* queries, std::size_t n_queries, std::size_t k,
                                    const RowLess& before, const SearchHow& how = {});

}  // namespace knarr
