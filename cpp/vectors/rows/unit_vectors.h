// Vectors of length one, made the same way wherever a vector enters: as a row or as a query.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/row_format.h"

namespace knarr {

inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

// The Euclidean length of `vector`, summed in double. Throws Error kInvalidArgument, naming `what`
// and, unless it is kNoIndex, `index`, for a component that is NaN or infinite, and for a length
// under 1.2e-38 (zeros and denormals, which have no direction left).
double checked_length(std::span<const float> vector, std::string_view what, std::size_t index);

// out[i] = vector[i] / length, rounded once. `out` may be `vector`.
void scale_to_unit(std::span<const float> vector, double length, float* out);

// Queries as score kernels take them.
//
// Each is a unit vector of `dim` floats at a multiple of 64 bytes: loads that cross cache lines
// would cost a batch a third of its speed. For int8 rows the same query follows it, split into
// coarse and fine bytes (quantised_rows.h).
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
