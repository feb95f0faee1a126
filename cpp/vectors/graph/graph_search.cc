#include "vectors/graph/graph_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/stopwatch.h"
#include "vectors/graph/graph_walk.h"

namespace knarr {
namespace {

constexpr std::size_t kBlockRows = 256;

std::uint64_t most_walked(const Graph& graph) {
  return std::max<std::uint64_t>(kLeastWalked, graph.size() / kMostWalked);
}

// Adds rows that no graph knows: those that may be among the k best of them.
void read_rows(const VectorView& view, const RowSet& rows, const QuantisedQuery& query, std::size_t k,
               std::vector<Candidate>& out) {
  const QuantisedShape& shape = view.quantised_shape();
  Candidates kept(k);
  std::array<Row, kBlockRows> block;
  std::array<const std::byte*, kBlockRows> data;
  std::array<float, kBlockRows> cosines, slacks;
  std::size_t n = 0;
  const auto flush = [&] {
    const QuantisedSide side = query.side();
    quantised_cosines()(data.data(), n, &side, 1, shape.numbers, cosines.data(), kBlockRows,
                    slacks.data());
    for (std::size_t i = 0; i < n; ++i) {
      kept.offer(block[i], query.best(cosines[i], slacks[i]), query.worst(cosines[i] - slacks[i]));
    }
    n = 0;
  };
  rows.for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) {
      block[n] = row;
      data[n] = view.quantised_row(row);
      if (++n == kBlockRows) flush();
    }
  });
  flush();
  const std::vector<Candidate> more = kept.take();
  out.insert(out.end(), more.begin(), more.end());
}

}  // namespace

GraphWork graph_work(const Graph& graph, std::uint64_t rows_allowed, std::size_t k,
                     double recall_target) {
  if (graph.size() == 0 || rows_allowed == 0) return {};
  const std::size_t expansion = graph.tuning().expansion(k, recall_target);
  if (expansion == 0) return {};
  const double share = static_cast<double>(rows_allowed) / static_cast<double>(graph.size());
  const double compared = graph.tuning().compared(expansion, share);
  if (compared > static_cast<double>(most_walked(graph))) return {};
  return {expansion, compared * graph.tuning().compare_ns()};
}

GraphSearched graph_top_k(const Graph& graph, const VectorView& view, const RowSet& allowed,
                          const float* query, std::size_t k, std::size_t expansion,
                          const RowLess& before, const ScoreKernel& kernel, bool explain) {
  Stopwatch watch(explain);
  GraphSearched out;
  const QuantisedQuery quantised_query({query, view.dim()}, view.quantised_shape());
  Walked walked = walk(graph, quantised_query, expansion, allowed, most_walked(graph), quantised_cosines());
  out.compared = walked.compared;
  if (!walked.is_done) return out;
  if (allowed.last() >= graph.rows_end()) {
    const RowSet rest = allowed & RowSet::range(graph.rows_end(), view.size());
    read_rows(view, rest, quantised_query, k, walked.nearest);
    out.compared += rest.size();
  }
  out.walk_us = watch.lap_us();
  out.found = rerank(view, std::move(walked.nearest), query, k, before, kernel, nullptr,
                     std::numeric_limits<std::uint64_t>::max());
  out.found.is_done = out.found.rows.size() == std::min<std::uint64_t>(k, allowed.size());
  out.rerank_us = watch.lap_us();
  return out;
}

}  // namespace knarr
