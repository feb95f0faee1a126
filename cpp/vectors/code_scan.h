// Plan "scan": the codes of every allowed row, then the vectors of the rows that may be among the
// best.
//
// A code gives an estimate of a row's cosine and the spread of its error. Rows are looked at in the
// order of what they can be at best, estimate + z · spread, until k known cosines are better than
// what the next row can be. A row of the true k best is missed only when its estimate is more than
// z spreads too low; z is the normal quantile of the recall target, so a row is found with at least
// that probability, whatever the data: how many rows are looked at follows from the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/rows.h"
#include "vectors/codes/estimate.h"
#include "vectors/rerank.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

// A scan is given up when more than one in so many of the allowed rows would have to be looked at,
// or when many times as many stay while codes are read: then the exact plan is faster.
inline constexpr std::uint64_t kMostReranked = 32;

// One more thread joins a scan for each so many bytes of codes that it reads.
inline constexpr std::size_t kCodeBytesPerWorker = std::size_t{1} << 20;

struct CodeScanned {
  std::vector<Reranked> queries;   // not done: given up
  std::uint64_t rows_scanned = 0;  // whose codes were read, allowed or not
  double scan_us = 0;              // for all queries together
  double rerank_us = 0;
};

// For each query, a unit vector of view.dim() floats. Requires k >= 1, allowed within view, and
// recall_target < 1. A query has the same result alone and beside others, and the number of threads
// changes nothing but, for queries near nothing, when a scan is given up.
CodeScanned code_scan(const VectorView& view, const RowSet& allowed,
                      std::span<const float* const> queries, std::size_t k, double recall_target,
                      const RowLess& before, const ScoreKernel& kernel, const BoundKernel& bounds);

// The number that a normal variable stays below with this probability, at least 0.
double normal_quantile(double probability);

}  // namespace knarr
