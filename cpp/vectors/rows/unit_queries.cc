// The memory of a query for int8 rows: the vector, then a cache line that begins with two scales,
// then the coarse bytes and the fine bytes, each filled up to whole lines.
#include "vectors/rows/unit_queries.h"

#include <memory>

#include "vectors/rows/normalise.h"

namespace knarr {
namespace {

constexpr std::size_t kLine = 16;  // floats in 64 bytes

// The floats that fill whole lines.
std::size_t lines(std::size_t floats) { return (floats + kLine - 1) / kLine * kLine; }

std::size_t byte_lines(std::size_t dim) {
  return lines(QuantisedShape(dim).numbers / sizeof(float));
}

std::size_t query_floats(std::size_t dim, Precision rows) {
  if (rows != Precision::kInt8) return lines(dim);
  return lines(dim) + kLine + 2 * byte_lines(dim);
}

void append_split(float* query, std::size_t dim) {
  float* const scales = query + lines(dim);
  auto* const coarse = reinterpret_cast<std::uint8_t*>(scales + kLine);
  auto* const fine = reinterpret_cast<std::uint8_t*>(scales + kLine + byte_lines(dim));
  const SplitQuery split = split_query({query, dim}, QuantisedShape(dim), coarse, fine);
  scales[0] = split.coarse.scale;
  scales[1] = split.fine.scale;
}

}  // namespace

UnitQueries::UnitQueries(const float* queries, std::size_t n, std::size_t dim, Precision rows,
                         bool alone) {
  const std::size_t stride = query_floats(dim, rows);
  memory_.resize(n * stride + kLine);
  void* at = memory_.data();
  std::size_t room = memory_.size() * sizeof(float);
  auto* out = static_cast<float*>(std::align(kLine * sizeof(float), sizeof(float), at, room));
  for (std::size_t q = 0; q < n; ++q, out += stride) {
    const std::span query(queries + q * dim, dim);
    scale_to_unit(query, checked_length(query, "query", alone ? kNoIndex : q), out);
    if (rows == Precision::kInt8) append_split(out, dim);
    all_.push_back(out);
  }
}

SplitQuery split_after(const float* query, std::size_t dim) {
  const float* const scales = query + lines(dim);
  const auto* const coarse = reinterpret_cast<const std::uint8_t*>(scales + kLine);
  const auto* const fine = reinterpret_cast<const std::uint8_t*>(scales + kLine + byte_lines(dim));
  return {{coarse, scales[0]}, {fine, scales[1]}};
}

}  // namespace knarr
