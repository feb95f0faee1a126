// Short rows: each vector again in a quarter of the bytes, with a bound on what that loses.
//
// A row is spread (below), then kept as whole numbers w, and with the angle α between it and w; a
// query is spread alike and kept as whole numbers p, with an angle β. The angle θ between w and p
// is known, and angles are lengths on a sphere, so the one between the row and the query is
//
//     from  θ - α - β  to  θ + α + β
//
// which holds for every row, not only for most: what a search leaves out by it is surely not among
// the best. The product of whole numbers is exact, so all variants agree.
//
// Of a row two numbers are kept, 1 / (|w| cos α) and tan α, for with c = cos θ / cos α
//
//     cos(θ - α) = c + sin(θ - α) tan α        cos(θ + α) = c - sin(θ + α) tan α
//
// so whether a row may reach a score is a product and a comparison.
//
// Embeddings have a few numbers that are many times as large as the others, and the largest decides
// the step of a row. So each number is spread over sixteen that lie eight apart, by a Hadamard
// matrix: products stay as they are, and the rows of real vectors lose half as much.
//
// No two neighbours among the numbers of a row have sizes that are more than 128 together: so a
// pair of products with bytes from 0 to 255, which is how AVX2 multiplies bytes, stays within 16
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "base/line_aligned.h"

namespace knarr {

// A short row: its numbers, of int8, zeros up to a multiple of 32; then scale, slack and centre:
// 1 / (|w| cos α), tan α, and the sum of the numbers by 128.
struct QuantisedShape {
  explicit QuantisedShape(std::size_t dim)
      : numbers((dim + 31) / 32 * 32), size_bytes(numbers + 3 * sizeof(float)) {}

  std::size_t numbers;
  std::size_t size_bytes;

  float scale(const std::byte* row) const { return *reinterpret_cast<const float*>(row + numbers); }
  float slack(const std::byte* row) const {
    return *reinterpret_cast<const float*>(row + numbers + sizeof(float));
  }
};

// The slack of a row of which nothing is known: it is no unit vector.
inline constexpr float kAnySlack = 1e30f;

// Makes a unit vector short; `out` holds size_bytes bytes at a multiple of 4.
void quantise(std::span<const float> row, const QuantisedShape& shape, std::byte* out);

// Spreads numbers, a multiple of 32, in place. Twice gives back what was, up to rounding.
void spread_apart(std::span<float> numbers);

// What is compared with rows: numbers from 1 to 255, 128 for zero, and one over their length.
struct QuantisedSide {
  const std::uint8_t* numbers;  // at a multiple of 64 bytes, that loads cross no cache lines
  float scale;
};

// Which rows may reach a score.
struct QuantisedBound {
  float least;
  float slope;

  // False: the row's cosine with the query is surely below the score.
  bool is_within(float cosine, float slack) const { return cosine + slope * slack >= least; }
};

// A query, a unit vector, for short rows. `cosine` is c, what QuantisedCosines says of a row, and
// `slack` the row's. Scores are cosines as the kernels of scan.h round them.
class QuantisedQuery {
 public:
  QuantisedQuery(std::span<const float> query, const QuantisedShape& shape);

  QuantisedSide side() const { return {numbers_.get(), scale_}; }

  // The score that a row with cosine - slack >= least has at least.
  float worst(float least) const;
  // The score that a row has at most.
  float best(float cosine, float slack) const;
  // Of the rows that may have a score of `score` or more: all where that is far below zero.
  QuantisedBound bound(float score) const;

 private:
  LineAligned<std::uint8_t> numbers_;
  float scale_ = 0;
  float sin_ = 0;  // of β
  float cos_ = 1;
  float rounding_ = 0;  // of a score and of a cosine
};

// cosines[q * stride + r] = the product of row r's numbers and those of query q, by the scales of
// both, for n_rows rows of `numbers` numbers; slacks[r] = row r's slack, unless `slacks` is null.
// Requires stride >= n_rows.
using QuantisedCosines = void (*)(const std::byte* const* rows, std::size_t n_rows,
                              const QuantisedSide* queries, std::size_t n_queries, std::size_t numbers,
                              float* cosines, std::size_t stride, float* slacks);

// The variant for a level: the best of those that this build and this machine have.
QuantisedCosines quantised_cosines(CpuLevel level);
// The best variant for this machine.
QuantisedCosines quantised_cosines();

// The variants; null where the compiler's target has no such instructions.
extern const QuantisedCosines kQuantisedPlain;
extern const QuantisedCosines kQuantisedAvx2;
extern const QuantisedCosines kQuantisedVnni;  // needs AVX-512 VNNI
extern const QuantisedCosines kQuantisedNeon;

}  // namespace knarr
