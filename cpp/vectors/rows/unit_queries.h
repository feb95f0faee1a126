// Queries as the kernels of score_kernel.h take them.
//
// Each is a unit vector of `dim` floats at a multiple of 64 bytes: loads that cross cache lines
// would cost a batch a third of its speed. For int8 rows the same query follows, spread (spread.h),
// in whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vectors/rows/precision.h"

namespace knarr {

class UnitQueries {
 public:
  // `queries` is (n, dim) in C order. Throws Error kInvalidArgument for one without a direction,
  // which is named by its index, unless it was asked alone.
  UnitQueries(const float* queries, std::size_t n, std::size_t dim, Precision rows, bool alone);

  std::span<const float* const> all() const { return all_; }

 private:
  std::vector<float> memory_;
  std::vector<const float*> all_;
};

// What follows a query for int8 rows: spread, it is about step · numbers.
struct WholeQuery {
  float step;
  const std::int16_t* numbers;  // at a multiple of 64 bytes
};

// Requires a query of UnitQueries for int8 rows.
WholeQuery whole_query(const float* query, std::size_t dim);

}  // namespace knarr
