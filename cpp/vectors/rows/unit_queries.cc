#include "vectors/rows/unit_queries.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "vectors/rows/hadamard.h"
#include "vectors/rows/int8_rows.h"
#include "vectors/rows/normalise.h"

namespace knarr {
namespace {

constexpr std::size_t kLine = 16;  // floats in 64 bytes

std::size_t lines(std::size_t floats) { return (floats + kLine - 1) / kLine * kLine; }

// Floats that a query takes: the vector, then a line that begins with the step, then the numbers.
std::size_t floats_of(std::size_t dim, Precision rows) {
  if (rows != Precision::kInt8) return lines(dim);
  return lines(dim) + kLine + Int8Shape(dim).numbers * sizeof(std::int16_t) / sizeof(float);
}

void append_whole(float* query, std::size_t dim) {
  const Int8Shape shape(dim);
  std::vector<float> numbers(shape.numbers, 0.0f);
  std::copy_n(query, dim, numbers.begin());
  spread(numbers);
  const Int8Query whole(numbers, shape);
  float* after = query + lines(dim);
  *after = whole.step();
  std::memcpy(after + kLine, whole.numbers(), shape.numbers * sizeof(std::int16_t));
}

}  // namespace

UnitQueries::UnitQueries(const float* queries, std::size_t n, std::size_t dim, Precision rows,
                         bool alone) {
  const std::size_t stride = floats_of(dim, rows);
  memory_.resize(n * stride + kLine);
  void* at = memory_.data();
  std::size_t room = memory_.size() * sizeof(float);
  auto* out = static_cast<float*>(std::align(kLine * sizeof(float), sizeof(float), at, room));
  for (std::size_t q = 0; q < n; ++q, out += stride) {
    const std::span query(queries + q * dim, dim);
    scale_to_unit(query, checked_length(query, "query", alone ? kNoIndex : q), out);
    if (rows == Precision::kInt8) append_whole(out, dim);
    all_.push_back(out);
  }
}

WholeQuery whole_query(const float* query, std::size_t dim) {
  const float* after = query + lines(dim);
  return {*after, reinterpret_cast<const std::int16_t*>(after + kLine)};
}

}  // namespace knarr
