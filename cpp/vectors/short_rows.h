// Short rows: each vector again in a quarter of the bytes, with a bound on what that loses.
//
// A row v is kept as whole numbers w from -127 to 127 and a step s, so that v is near s · w, and
// with the length of the difference, |v - s · w|, its slack. For a query q, kept as whole numbers p
// and a step t with a slack of its own, Cauchy and Schwarz give
//
//     |v · q - s · t · (w · p)|  <=  slack(v) · |t · p| + slack(q) · |v|
//
// which holds for every row, not only for most: what a search leaves out by it is surely not among
// the best. The product of whole numbers is exact, so all twins agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu.h"

namespace knarr {

// A short row: its numbers, zeros up to a multiple of 32, then step and slack.
struct ShortShape {
  explicit ShortShape(std::size_t dim)
      : numbers((dim + 31) / 32 * 32), size_bytes(numbers + 2 * sizeof(float)) {}

  std::size_t numbers;
  std::size_t size_bytes;

  float step(const std::byte* row) const { return *reinterpret_cast<const float*>(row + numbers); }
  float slack(const std::byte* row) const {
    return *reinterpret_cast<const float*>(row + numbers + sizeof(float));
  }
};

// Makes a row short; `out` holds size_bytes bytes at a multiple of 4.
void shorten(std::span<const float> row, const ShortShape& shape, std::byte* out);

// A query, a unit vector, for short rows.
class ShortQuery {
 public:
  ShortQuery(std::span<const float> query, const ShortShape& shape);

  const std::int16_t* numbers() const { return numbers_.data(); }  // zeros at the end
  float step() const { return step_; }
  // The product of a row and the query is within slack · length() + error() of the estimate.
  float length() const { return length_; }
  float error() const { return error_; }

 private:
  std::vector<std::int16_t> numbers_;
  float step_ = 0;
  float length_ = 0;
  float error_ = 0;
};

// products[i] = the product of row i's numbers and the query's, for n rows of `numbers` numbers.
using ShortProducts = void (*)(const std::byte* const* rows, std::size_t n,
                               const std::int16_t* query, std::size_t numbers,
                               std::int32_t* products);

// The twin for a level, or null when this build has none.
ShortProducts short_products(CpuLevel level);
// The best twin for this machine.
ShortProducts short_products();

// The twins; null where the compiler's target has no such instructions.
extern const ShortProducts kShortPlain;
extern const ShortProducts kShortAvx2;

}  // namespace knarr
