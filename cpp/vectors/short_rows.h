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
#include <memory>
#include <span>

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

  // Zeros at the end. At a multiple of 64 bytes: loads that cross cache lines cost a batch a tenth.
  const std::int16_t* numbers() const { return numbers_.get(); }
  float step() const { return step_; }
  // The product of a row and the query is within slack · length() + error() of the estimate.
  float length() const { return length_; }
  float error() const { return error_; }

 private:
  struct Free {
    void operator()(std::int16_t* memory) const;
  };

  std::unique_ptr<std::int16_t, Free> numbers_;
  float step_ = 0;
  float length_ = 0;
  float error_ = 0;
};

// products[q * stride + r] = the product of row r's numbers and those of query q, for n_rows rows
// of `numbers` numbers. Requires stride >= n_rows.
using ShortProducts = void (*)(const std::byte* const* rows, std::size_t n_rows,
                               const std::int16_t* const* queries, std::size_t n_queries,
                               std::size_t numbers, std::int32_t* products, std::size_t stride);

// The twin for a level: the best of those that this build and this machine have.
ShortProducts short_products(CpuLevel level);
// The best twin for this machine.
ShortProducts short_products();

// The twins; null where the compiler's target has no such instructions.
extern const ShortProducts kShortPlain;
extern const ShortProducts kShortAvx2;
extern const ShortProducts kShortVnni;  // needs AVX-512 VNNI
extern const ShortProducts kShortNeon;

}  // namespace knarr
