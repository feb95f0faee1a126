// Plan "scan": the codes of every allowed row, then the vectors of the rows that may be among the
// best.
//
// A code gives an estimate of a row's cosine and the standard deviation of its error. Rows are
// looked at in the order of what they can be at best, estimate + z · deviation, until k known
// cosines are better than what the next row can be. A row of the true k best is missed only when
// its estimate is more than z deviations too low. z is the normal quantile of the recall target, so
// a row is found with at least that probability whatever the data, and how many rows are looked at
// follows from the data. Reranking by an error bound is RaBitQ's (Gao and Long, SIGMOD 2024; see
// codes.h), used here for a whole scope instead of the nearest clusters.
//
// Giving up. For a query near nothing codes cannot tell rows apart, and the exact plan is faster. A
// scan is given up in two cases, and both depend on the rows, the scope and the query only, never
// on threads or time: before the scan, when too many rows of a fixed sample of chunks may be among
// the best (code_reader.h); and after it, when more than one in kMostReranked of the allowed rows
// would have to be looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/rows.h"
#include "vectors/codes/bound_kernel.h"
#include "vectors/rerank.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

inline constexpr std::uint64_t kMostReranked = 32;

// Another thread joins a scan for each further mebibyte of codes that it reads.
inline constexpr std::size_t kCodeBytesPerWorker = std::size_t{1} << 20;

struct CodeScanned {
  std::vector<Reranked> queries;   // not done: given up
  std::uint64_t rows_scanned = 0;  // whose codes were read, allowed or not
  double scan_us = 0;              // for all queries together
  double rerank_us = 0;
};

// `queries` are unit vectors of view.dim() floats. Requires k >= 1, allowed within view, and
// recall_target < 1. A query has the same result alone and beside others, with any number of
// threads.
CodeScanned code_scan(const VectorView& view, const RowSet& allowed,
                      std::span<const float* const> queries, std::size_t k, double recall_target,
                      const RowLess& before, const ScoreKernel& kernel, const BoundKernel& bounds);

// The number that a normal variable stays below with this probability, at least 0.
double normal_quantile(double probability);

}  // namespace knarr
