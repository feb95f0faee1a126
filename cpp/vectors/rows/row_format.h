// How a vector is stored: the precisions, and the bytes of a row in each.
//
//     float32    (dim,) float32
//     bfloat16   (dim,) uint16, the upper halves of float32, rounded to the nearest, ties to even;
//                a zero where dim is odd; then float32, one over the length of these numbers
//     int8       a quantised row with slack 0 (quantised_rows.h)
//
// What is stored is what is searched: a score is the dot product of the query and the stored
// vector. Rounding changes a vector's length, so rows of bfloat16 and int8 carry a factor that
// makes it one again, and a score is a cosine. It matters: embeddings have a few large numbers, and
// their rounding shows in the length. Without the factor bfloat16 loses three times as many of the
// ten best rows. A factor costs four bytes a row and one multiplication a score.
//
// Immutable; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "vectors/rows/quantised_rows.h"

namespace knarr {

enum class Precision : std::uint8_t {
  kFloat32,
  kBfloat16,  // the upper half of each float32, eight binary digits
  kInt8,      // whole numbers from -127 to 127
};

// "float32", "bfloat16" or "int8".
const char* name(Precision precision);

// The precision of that name; none for any other word.
std::optional<Precision> precision_named(std::string_view word);

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

  // The stored vector as dim() floats: `row` itself if it is float32, else written to `room`.
  const float* floats(const std::byte* row, float* room) const;

  // Whether these bytes are a vector of length one, within a thousandth, as store() writes them.
  bool is_sound(const std::byte* row) const;

 private:
  Precision precision_;
  std::size_t dim_;
  QuantisedShape quantised_;
  std::size_t row_bytes_;
};

}  // namespace knarr
