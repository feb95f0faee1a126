#include "vectors/graph_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "vectors/candidates.h"

namespace knarr {
namespace {

constexpr std::uint64_t kSlotsPerExpansion = 16;
constexpr std::uint64_t kLeastAllowedShare = 8;  // one slot in so many
constexpr std::uint64_t kMostOutsideShare = 8;   // one row for so many slots
constexpr double kMissed = 20;

}  // namespace

GraphRows rows_for_graph(const VectorView& view) {
  return {view.quantised_shape(), view.size(), [view](Row row) { return view.quantised_row(row); }};
}

std::size_t graph_expansion(const Graph& graph, const RowSet& allowed, std::size_t k,
                            double recall_target) {
  if (recall_target >= 1) return 0;
  const std::uint64_t all = allowed.size();
  const std::uint64_t inside = (allowed & RowSet::range(0, graph.rows_end())).size();
  const double expansion = 2 * static_cast<double>(k) + std::round(kMissed / (1 - recall_target));
  const bool is_worth_it = expansion * kSlotsPerExpansion <= static_cast<double>(graph.size()) &&
                           inside * kLeastAllowedShare >= graph.size() &&
                           (all - inside) * kMostOutsideShare <= graph.size();
  return is_worth_it ? static_cast<std::size_t>(expansion) : 0;
}

// A row outside the graph is a candidate of which nothing is known: it is scored.
GraphSearched graph_top_k(const Graph& graph, const VectorView& view, const RowSet& allowed,
                          const float* query, std::size_t k, std::size_t expansion,
                          const RowLess& before, const ScoreKernel& kernel, bool explain) {
  constexpr auto kUnbounded = std::numeric_limits<float>::infinity();
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  Stopwatch watch(explain);
  GraphSearched out;
  const QuantisedQuery quantised_query({query, view.dim()}, view.quantised_shape());
  const GraphSearch near = graph.search(quantised_query, allowed, expansion);
  std::vector<Candidate> candidates;
  for (const ScoredRow& each : near.rows) candidates.push_back({each.row, each.score});
  const RowSet outside = allowed & RowSet::range(graph.rows_end(), view.size());
  outside.for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) candidates.push_back({row, kUnbounded});
  });
  out.compared = near.compared;
  out.search_us = watch.lap_us();
  out.found =
      rerank(view, std::move(candidates), query, k, before, kernel, quantised_cosines(), kAll);
  out.found.is_done = out.found.rows.size() == std::min<std::uint64_t>(k, allowed.size());
  out.rerank_us = watch.lap_us();
  return out;
}

}  // namespace knarr
