// Rerank: exact scores for the candidates of a code scan or a graph walk, the most promising first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vectors/candidates.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

// scores[i] = the score of rows[i].row for one query. Rows may lie anywhere; those of a file are
// all asked for before the first is read.
template <class Scored>
void score_each(const VectorView& view, std::span<Scored> rows, const float* query,
                const ScoreKernel& kernel, float* scores) {
  constexpr std::size_t kPieceRows = 32;  // scored by one call of the kernel
  for (const auto& each : rows) view.ask_for(each.row);
  std::array<const std::byte*, kPieceRows> data;
  for (std::size_t at = 0; at < rows.size(); at += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, rows.size() - at);
    for (std::size_t i = 0; i < n; ++i) data[i] = view.data(rows[at + i].row);
    kernel.block(data.data(), n, &query, 1, view.dim(), scores + at, n);
  }
}

struct Reranked {
  std::vector<ScoredRow> rows;  // the k best
  std::uint64_t scored = 0;     // rows that were looked at
  bool is_done = false;         // false: `most` rows were looked at, and there were more to see
};

// Scores candidates in the order of `upper`, equal ones by row, until k rows are better than what
// the next one can be. The order is total and the scores are those of the exact plan. Let T be the
// k-th largest of min(score, upper): candidates whose `upper` is below T are never counted and
// never among the results, so the outcome, is_done included, is the same whether they are there or
// not (see candidates.h).
//
// With `quantised`, rows after the first block are scored only when their quantised rows do not
// rule them out. That bound always holds, so it changes nothing but what is read: a row that is
// ruled out counts as looked at. Null: all are scored.
Reranked rerank(const VectorView& view, std::vector<Candidate> candidates, const float* query,
                std::size_t k, const RowLess& before, const ScoreKernel& kernel,
                QuantisedCosines quantised, std::uint64_t most);

// The same for each query of a batch: out[q] from what kept[q] holds. A batch of many queries is
// shared among threads.
void rerank_each(const VectorView& view, std::span<Candidates> kept,
                 std::span<const float* const> queries, std::size_t k, const RowLess& before,
                 const ScoreKernel& kernel, QuantisedCosines quantised, std::uint64_t most,
                 std::span<Reranked> out);

}  // namespace knarr
