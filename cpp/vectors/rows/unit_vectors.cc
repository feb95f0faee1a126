#include "vectors/rows/unit_vectors.h"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "base/error.h"

namespace knarr {
namespace {

// The square of a float is exact in double and a sum of them cannot overflow there, so one pass
// finds the length and, by a sum that is not finite, whether any component was NaN or infinite.
// Eight running sums, so that additions need not wait for each other; their order is fixed.
double sum_of_squares(std::span<const float> vector) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= vector.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double x = vector[i + lane];
      sums[lane] += x * x;
    }
  }
  for (; i < vector.size(); ++i) {
    const double x = vector[i];
    sums[i % kLanes] += x * x;
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

std::string place(std::string_view what, std::size_t index) {
  std::string name(what);
  if (index != kNoIndex) name.append(1, ' ').append(std::to_string(index));
  return name;
}

[[noreturn]] void refuse_component(std::span<const float> vector, std::string_view what,
                                   std::size_t index) {
  std::size_t i = 0;
  while (i + 1 < vector.size() && std::isfinite(vector[i])) ++i;
  const char* value = std::isnan(vector[i]) ? "NaN" : "infinite";
  fail(ErrorCode::kInvalidArgument, place(what, index) + ": component " + std::to_string(i) +
                                        " is " + value + ", expected finite numbers");
}

// The memory of a query for int8 rows: the vector, then a cache line that begins with two scales,
// then the coarse bytes and the fine bytes, each filled up to whole lines.
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

double checked_length(std::span<const float> vector, std::string_view what, std::size_t index) {
  const double length = std::sqrt(sum_of_squares(vector));
  if (!std::isfinite(length)) refuse_component(vector, what, index);
  if (length < std::numeric_limits<float>::min()) {
    fail(ErrorCode::kInvalidArgument,
         place(what, index) + ": its length is zero or too small to have a direction");
  }
  return length;
}

void scale_to_unit(std::span<const float> vector, double length, float* out) {
  const double inverse = 1.0 / length;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    out[i] = static_cast<float>(vector[i] * inverse);
  }
}

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
