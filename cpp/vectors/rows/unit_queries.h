// Queries as score kernels take them.
//
// Each is a unit vector of `dim` floats at a multiple of 64 bytes: loads that cross cache lines
// would cost a batch a third of its speed. For int8 rows the same query follows it, split into
// coarse and fine bytes (quantised_rows.h).
#pragma once

#include <span>
#include <vector>

#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/row_format.h"

namespace knarr {

class UnitQueries {
 public:
  // `queries` is (n, dim) in C order, for rows of one precision. Throws Error kInvalidArgument for
  // a query without a direction; the message has its index unless the query is `alone`.
  UnitQueries(const float* queries, std::size_t n, std::size_t dim, Precision rows, bool alone);

  std::span<const float* const> all() const { return all_; }

 private:
  std::vector<float> memory_;
  std::vector<const float*> all_;
};

// The bytes that follow a query. Requires one of UnitQueries for int8 rows.
SplitQuery split_after(const float* query, std::size_t dim);

}  // namespace knarr
