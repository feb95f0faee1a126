// Lower-bound filter: the plan "exact" in two steps, filter and refine.
//
// Idea: a quantised row, the vector in 8 bits a dimension, gives the row's cosine up to a slack
// that always holds (quantised_rows.h): an upper bound of the cosine, which is a lower bound of the
// distance. All quantised rows are read, in a quarter of the bytes of the vectors. Rows whose bound
// cannot reach the k-th best that is already certain are dropped; the few survivors are scored with
// their vectors.
//
// Invariant: at any time k rows are known to have at least a certain cosine, and a dropped row has
// less. So the results are those of exact_top_k, to the bit.
//
// Source: the VA-file (Weber, Schek and Blott, "A Quantitative Analysis and Performance Study for
// Similarity-Search Methods in High-Dimensional Spaces", VLDB 1998), there with a few bits a
// dimension for files on disk.
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

// The filter is faster than scoring every row from this many allowed rows on, and from this many
// for each result that is wanted.
inline constexpr std::uint64_t kLowerBoundFilterRows = 200;
inline constexpr std::uint64_t kLowerBoundFilterRowsPerResult = 8;

// `queries` are unit vectors of view.dim() floats. Requires view.has_quantised_rows(), k >= 1, and
// allowed within view and not empty. A query has the same result alone and beside others, with any
// number of threads; how many rows are scored for it may differ.
std::vector<Reranked> lower_bound_filter_top_k(const VectorView& view, const RowSet& allowed,
                                               std::span<const float* const> queries, std::size_t k,
                                               const RowLess& before, const ScoreKernel& kernel,
                                               QuantisedCosines cosines);

}  // namespace knarr
