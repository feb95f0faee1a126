// Plan "exact" by quantised rows first: only rows that may be among the best, by a bound that
// always holds, are scored with their vectors. The results are those of exact_top_k, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/rows.h"
#include "vectors/rerank.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

// A sieve is faster than scoring all rows from so many allowed rows on, for so many of each wanted.
inline constexpr std::uint64_t kBoundFilterRows = 200;
inline constexpr std::uint64_t kBoundFilterRowsPerResult = 8;

// For each query, a unit vector of view.dim() floats. Requires view.has_quantised_rows(), k >= 1,
// allowed within view and not empty. A query has the same result alone and beside others, and the
// number of threads changes nothing.
std::vector<Reranked> bound_filter_top_k(const VectorView& view, const RowSet& allowed,
                                         std::span<const float* const> queries, std::size_t k,
                                         const RowLess& before, const ScoreKernel& kernel,
                                         QuantisedCosines cosines);

}  // namespace knarr
