// Exact scores for the candidates of a code scan or a sieve, the most promising first.
#pragma once

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

// A scan is given up where there are more than so many times as many candidates as may be scored.
inline constexpr std::uint64_t kHopeless = 8;

struct Reranked {
  std::vector<ScoredRow> rows;  // the k best
  std::uint64_t scored = 0;     // how many rows were looked at
  bool is_done = false;         // false: `most` rows were looked at, and there were more to see
};

// Scores candidates, in the order of `upper`, until k rows are better than what the next one can
// be. The order is total and the scores are those of the exact plan, so the result depends on the
// candidates that come before that only. Where there are many times as many as `most`, nothing is
// scored: whether that is seen may depend on what was looked at when.
//
// With `quantised`, after the first candidates only those are scored whose quantised rows do not
// rule them out, which is surely and changes nothing but what is read; null: all are. They count
// all the same.
Reranked rerank(const VectorView& view, std::vector<Candidate> candidates, const float* query,
                std::size_t k, const RowLess& before, const ScoreKernel& kernel,
                QuantisedCosines quantised, std::uint64_t most);

// The same for each query of a batch: out[q] from what kept[q] holds. Many queries share threads.
void rerank_each(const VectorView& view, std::span<Candidates> kept,
                 std::span<const float* const> queries, std::size_t k, const RowLess& before,
                 const ScoreKernel& kernel, QuantisedCosines quantised, std::uint64_t most,
                 std::span<Reranked> out);

}  // namespace knarr
