// Rows of int8, and their products with queries of 16 bits: what the precision int8 stores and
// scores (row_format.h). The product of whole numbers is exact, so all variants agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "base/line_aligned.h"

namespace knarr {

// A row: its numbers, from -127 to 127, zeros up to a multiple of 32, then their step and a zero of
// four bytes.
struct Int8Shape {
  explicit Int8Shape(std::size_t dim)
      : numbers((dim + 31) / 32 * 32), size_bytes(numbers + 2 * sizeof(float)) {}

  std::size_t numbers;
  std::size_t size_bytes;

  float step(const std::byte* row) const { return *reinterpret_cast<const float*>(row + numbers); }
};

// A query in steps, as many as keep every sum of products within 32 bits.
class Int8Query {
 public:
  // Requires shape.numbers numbers, and one that is not zero.
  Int8Query(std::span<const float> query, const Int8Shape& shape);

  // At a multiple of 64 bytes.
  const std::int16_t* numbers() const { return numbers_.get(); }
  float step() const { return step_; }

 private:
  LineAligned<std::int16_t> numbers_;
  float step_ = 0;
};

// products[q * stride + r] = the product of row r's numbers and those of query q, for n_rows rows
// of `numbers` numbers. Requires stride >= n_rows.
using Int8Products = void (*)(const std::byte* const* rows, std::size_t n_rows,
                              const std::int16_t* const* queries, std::size_t n_queries,
                              std::size_t numbers, std::int32_t* products, std::size_t stride);

// The variant for a level: the best of those that this build and this machine have.
Int8Products int8_products(CpuLevel level);

// The variants; null where the compiler's target has no such instructions.
extern const Int8Products kInt8Plain;
extern const Int8Products kInt8Avx2;
extern const Int8Products kInt8Vnni;  // needs AVX-512 VNNI
extern const Int8Products kInt8Neon;

}  // namespace knarr
