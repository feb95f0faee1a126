// How a vector is stored: the bytes of a row, in each precision.
//
//     float32    (dim,) float32
//     bfloat16   (dim,) uint16: the upper halves of float32, rounded to the nearest, ties to even;
//                a zero where dim is odd; float32, one over the length of the numbers
//     int8       a row as int8_rows.h draws it, of the vector as spread.h spreads it, whose step is
//                one over the length of its numbers
//
// What is stored is what is searched: a score is the product of the query and the stored vector,
// which is the numbers by that factor, so that it has length one and a score is a cosine. (Without
// the factor bfloat16 would lose three times as many of the ten best: embeddings have a few large
// numbers, whose rounding shows in the length.) Immutable; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vectors/rows/int8_rows.h"
#include "vectors/rows/precision.h"

namespace knarr {

// Where a row of bfloat16 has its factor.
constexpr std::size_t bfloat16_factor_at(std::size_t dim) {
  return (dim + 1) / 2 * 2 * sizeof(std::uint16_t);
}

class RowFormat {
 public:
  RowFormat(Precision precision, std::size_t dim);

  Precision precision() const { return precision_; }
  std::size_t dim() const { return dim_; }
  std::size_t row_bytes() const { return row_bytes_; }

  // Stores a unit vector of dim() floats. No precision rounds all of it to zero: its largest number
  // is at least 1 / √dim. `out` holds row_bytes() bytes, a multiple of 4, at a multiple of 4.
  void store(const float* unit, std::byte* out) const;

  // The stored vector as dim() floats: `row` itself where it is that, else written to `room`.
  const float* floats(const std::byte* row, float* room) const;

  // Whether these bytes are a vector of length one, within a thousandth, as store() writes them.
  bool is_sound(const std::byte* row) const;

 private:
  Precision precision_;
  std::size_t dim_;
  Int8Shape int8_shape_;
  std::size_t row_bytes_;
};

}  // namespace knarr
