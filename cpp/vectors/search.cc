// Checks arguments once, chooses a plan, runs it, and reports what it did. A plan that gives a
// query up leaves it to the next one: graph, then codes, then exact.
#include "vectors/search.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "vectors/code_scan.h"
#include "vectors/exact.h"
#include "vectors/graph_plan.h"
#include "vectors/lower_bound_filter.h"
#include "vectors/planner.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/rows/unit_vectors.h"

namespace knarr {
namespace {

constexpr std::size_t kGraphQueriesPerWorker = 4;

struct Choice {
  Plan plan;
  std::size_t expansion = 0;  // of the plan "graph"
};

Choice choose_plan(const VectorView& view, const RowSet& allowed, std::size_t k,
                   const SearchHow& how) {
  const std::uint64_t rows = allowed.size();
  if (how.plan == PlanWish::kExact || how.recall_target >= 1 || view.codes().chunks() == 0) {
    return {Plan::kExact};
  }
  if (how.plan == PlanWish::kScan) return {Plan::kScan};
  if (how.plan == PlanWish::kGraph && how.graph != nullptr) {
    const std::size_t expansion = graph_expansion(*how.graph, allowed, k, how.recall_target);
    if (expansion != 0) return {Plan::kGraph, expansion};
  }
  if (rows <= kExactRows) return {Plan::kExact};
  const std::uint64_t span = std::uint64_t{allowed.last()} - allowed.first() + 1;
  const std::uint64_t blocks = std::min(rows, span / kBlockCodes + 1);
  return {choose({rows, blocks, view.dim(), k, view.format().precision()})};
}

void check(std::size_t k, const SearchHow& how) {
  if (k == 0) fail(ErrorCode::kInvalidArgument, "k is 0, expected at least 1");
  if (!(how.recall_target > 0) || how.recall_target > 1) {
    fail(ErrorCode::kInvalidArgument, "recall_target is " + std::to_string(how.recall_target) +
                                          ", expected over 0 and at most 1");
  }
}

// Fills the results at `which`, for the queries there.
void answer_exactly(const VectorView& view, const RowSet& allowed,
                    std::span<const float* const> queries, std::span<const std::size_t> which,
                    std::size_t k, const RowLess& before, std::vector<TopKResult>& results) {
  if (which.empty()) return;
  const ScoreKernel& kernel = score_kernel(view.format().precision());
  const std::uint64_t least =
      std::max<std::uint64_t>(kLowerBoundFilterRows, k * kLowerBoundFilterRowsPerResult);
  std::vector<const float*> asked;
  for (const std::size_t q : which) asked.push_back(queries[q]);
  for (const std::size_t q : which) {
    results[q].plan = name(Plan::kExact);
    results[q].explanation.rows_scanned += allowed.size();
  }
  if (allowed.size() >= least && view.has_quantised_rows()) {
    auto found =
        lower_bound_filter_top_k(view, allowed, asked, k, before, kernel, quantised_cosines());
    for (std::size_t i = 0; i < which.size(); ++i) {
      results[which[i]].rows = std::move(found[i].rows);
      results[which[i]].explanation.rows_reranked += found[i].scored;
    }
    return;
  }
  auto found = exact_top_k(view, allowed, asked, k, before, kernel);
  for (std::size_t i = 0; i < which.size(); ++i) results[which[i]].rows = std::move(found[i]);
}

// By the graph; returns the queries for which it reached too few rows, and that are not answered.
std::vector<std::size_t> answer_by_graph(const VectorView& view, const RowSet& allowed,
                                         std::span<const float* const> queries, std::size_t k,
                                         const RowLess& before, const SearchHow& how,
                                         std::size_t expansion, std::vector<TopKResult>& results) {
  std::vector<GraphSearched> found(queries.size());
  const auto workers = static_cast<unsigned>(
      std::min<std::size_t>(1 + queries.size() / kGraphQueriesPerWorker, max_workers()));
  parallel_for(queries.size(), workers, [&](unsigned, std::size_t q) {
    found[q] = graph_top_k(*how.graph, view, allowed, queries[q], k, expansion, before,
                           score_kernel(view.format().precision()), how.explain);
  });
  std::vector<std::size_t> open;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    TopKResult& result = results[q];
    result.explanation.rows_scanned = found[q].compared;
    result.explanation.rows_reranked = found[q].found.scored;
    result.explanation.scan_us = found[q].search_us;
    result.explanation.rerank_us = found[q].rerank_us;
    result.rows = std::move(found[q].found.rows);
    result.plan = name(Plan::kGraph);
    if (!found[q].found.is_done) open.push_back(q);
  }
  return open;
}

// Answers the queries at `which` by a code scan. Returns those that it gave up, and that are not
// answered.
std::vector<std::size_t> answer_by_codes(const VectorView& view, const RowSet& allowed,
                                         std::span<const float* const> queries,
                                         std::span<const std::size_t> which, std::size_t k,
                                         const RowLess& before, const SearchHow& how,
                                         std::vector<TopKResult>& results) {
  if (which.empty()) return {};
  std::vector<const float*> asked;
  for (const std::size_t q : which) asked.push_back(queries[q]);
  CodeScanned found = code_scan(view, allowed, asked, k, how.recall_target, before,
                                score_kernel(view.format().precision()), bound_kernel());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < which.size(); ++i) {
    TopKResult& result = results[which[i]];
    result.explanation.rows_scanned += found.rows_scanned;
    result.explanation.rows_reranked += found.queries[i].scored;
    if (how.explain) {
      result.explanation.scan_us += found.scan_us;
      result.explanation.rerank_us += found.rerank_us;
    }
    result.rows = std::move(found.queries[i].rows);
    result.plan = name(Plan::kScan);
    // A result is short only where numbers are not finite, which no engine writes.
    const bool is_short = result.rows.size() < std::min<std::uint64_t>(k, allowed.size());
    if (is_short || !found.queries[i].is_done) open.push_back(which[i]);
  }
  return open;
}

std::vector<TopKResult> run(const VectorView& view, const RowSet& asked, const float* queries,
                            std::size_t n_queries, std::size_t k, const RowLess& before,
                            const SearchHow& how, bool alone) {
  Stopwatch watch(how.explain);
  check(k, how);
  const UnitQueries unit(queries, n_queries, view.dim(), view.format().precision(), alone);
  const bool inside = asked.empty() || asked.last() < view.size();
  const RowSet allowed = inside ? asked : asked & RowSet::range(0, view.size());
  const Choice choice = choose_plan(view, allowed, k, how);
  std::vector<TopKResult> results(n_queries);
  const double plan_us = watch.lap_us();
  for (TopKResult& result : results) {
    result.explanation.rows_allowed = allowed.size();
    result.explanation.plan_us = plan_us;
  }
  std::vector<std::size_t> open(n_queries);
  std::iota(open.begin(), open.end(), std::size_t{0});
  if (choice.plan == Plan::kGraph) {
    open = answer_by_graph(view, allowed, unit.all(), k, before, how, choice.expansion, results);
  }
  if (choice.plan != Plan::kExact) {
    open = answer_by_codes(view, allowed, unit.all(), open, k, before, how, results);
  }
  watch.lap_us();
  answer_exactly(view, allowed, unit.all(), open, k, before, results);
  const double exact_us = watch.lap_us();
  for (const std::size_t q : open) results[q].explanation.scan_us += exact_us;
  return results;
}

}  // namespace

TopKResult top_k(const VectorView& view, const RowSet& allowed, const float* query, std::size_t k,
                 const RowLess& before, const SearchHow& how) {
  return std::move(run(view, allowed, query, 1, k, before, how, true).front());
}

std::vector<TopKResult> top_k_batch(const VectorView& view, const RowSet& allowed,
                                    const float* queries, std::size_t n_queries, std::size_t k,
                                    const RowLess& before, const SearchHow& how) {
  return run(view, allowed, queries, n_queries, k, before, how, false);
}

}  // namespace knarr
