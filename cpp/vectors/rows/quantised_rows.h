// Quantised rows: scalar quantisation to int8, with a bound on its error.
//
// A vector is rotated and rounded to whole numbers in one step. The same form serves twice. Beside
// float32 and bfloat16 rows it is the lower-bound filter: a quarter of the bytes of float32 tell
// which rows surely are not among the best. As precision "int8" (row_format.h) it is the stored
// vector itself.
//
// The rotation. Embeddings have a few numbers that are many times as large as the others. The
// largest number sets the step in which a whole row is rounded, so a few outliers cost all other
// numbers their precision. A Hadamard matrix mixes sixteen numbers with signs, so that an outlier
// is shared by sixteen. The matrix is orthogonal: products of two vectors stay as they are when
// both are rotated. On real vectors the rotation halves what rounding loses.
//
// It is the fast transform of Ailon & Chazelle (The Fast Johnson-Lindenstrauss Transform, STOC
// 2006), in small blocks and without their random signs. It only adds, subtracts and multiplies by
// one factor, in a fixed order: the result is the same on every machine, to the bit.
//
// The error bound. Let w be the whole numbers of a row and α the angle between the rotated row and
// w; let p be those of a query and β the angle between the rotated query and p. The angle θ between
// w and p is known. Angles between unit vectors are distances on the sphere and obey the triangle
// inequality, so the angle between the row and the query lies
//
//     from  θ - α - β  to  θ + α + β
//
// This holds for every row, not only with high probability: a row that the bound rules out is
// surely not among the best. A product of whole numbers is exact, so all SIMD variants agree.
//
// Two numbers of a row carry the bound: scale 1 / (|w| cos α) and slack tan α. With
// c = cos θ / cos α, which is the product of w and p by both scales,
//
//     cos(θ - α) = c + sin(θ - α) tan α        cos(θ + α) = c - sin(θ + α) tan α
//
// so asking whether a row can reach a score costs one multiplication and one comparison.
//
// A row that is stored is its own vector: α is 0, scale is 1 / |w| and slack 0.
//
// The pair rule. AVX2 multiplies unsigned bytes with signed ones and adds neighbouring products in
// 16 bits, with saturation (VPMADDUBSW). A query's bytes go up to 255, so two neighbours of a row
// may have sizes of 128 together at most: 255 · 128 = 32,640 < 2^15. The step of a row follows from
// its largest pair of neighbours, not from its largest number. On 14,383 real chunk vectors that
// costs precision "int8" 0.19 of 100 points of recall among ten, and spares it a form and kernels
// of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "base/memory.h"

namespace knarr {

// The bytes of a row: int8 numbers, zeros up to a multiple of 32; then scale and slack, float32;
// then centre, int32: 128 times the sum of the numbers.
struct QuantisedShape {
  explicit QuantisedShape(std::size_t dim)
      : numbers((dim + 31) / 32 * 32), size_bytes(numbers + 3 * sizeof(float)) {}

  std::size_t numbers;
  std::size_t size_bytes;

  float scale(const std::byte* row) const { return *reinterpret_cast<const float*>(row + numbers); }
  float slack(const std::byte* row) const {
    return *reinterpret_cast<const float*>(row + numbers + sizeof(float));
  }
  std::int32_t centre(const std::byte* row) const {
    return *reinterpret_cast<const std::int32_t*>(row + numbers + 2 * sizeof(float));
  }
};

// The slack of a row that nothing is known about, because it is no unit vector.
inline constexpr float kUnboundedSlack = 1e30f;

// Rotates in place; requires a multiple of 32 numbers. The matrix is its own inverse: a second call
// gives the numbers back, up to rounding. Costs four additions a number.
void hadamard_rotate(std::span<float> numbers);

// Quantises a vector for the lower-bound filter, with the slack of its rounding. `out` holds
// shape.size_bytes bytes at a multiple of 4.
void quantise(std::span<const float> row, const QuantisedShape& shape, std::byte* out);

// Quantises a unit vector that is then stored in no other form: slack 0.
void quantise_to_store(std::span<const float> unit, const QuantisedShape& shape, std::byte* out);

// The unit vector that a stored row is, rotated back; its first out.size() numbers.
void dequantise(const std::byte* row, const QuantisedShape& shape, std::span<float> out);

// Whether these bytes are a row as quantise_to_store() writes them: of length one within a
// thousandth, without slack, with its centre, and by the pair rule.
bool is_sound_stored(const std::byte* row, const QuantisedShape& shape);

// A query's numbers as rows meet them: bytes from 1 to 255, 128 for zero. Their offset of 128 adds
// the row's centre to a product, and kernels take it off again.
struct QueryBytes {
  const std::uint8_t* numbers;  // at a multiple of 64 bytes, so that no load crosses a cache line
  float scale;
};

// Which rows may reach a score.
struct QuantisedBound {
  float least;
  float slope;

  // False: the row's cosine with the query is surely below the score.
  bool is_within(float cosine, float slack) const { return cosine + slope * slack >= least; }
};

// A query, a unit vector, for the lower-bound filter. `cosine` is the c of a row, as
// QuantisedCosines gives it, and `slack` the row's. Scores are cosines as the kernels of
// score_kernel.h round them.
class QuantisedQuery {
 public:
  QuantisedQuery(std::span<const float> query, const QuantisedShape& shape);

  QueryBytes bytes() const { return {numbers_.get(), scale_}; }

  // The least score of a row with cosine - slack >= least.
  float worst(float least) const;
  // The highest score that a row can have.
  float best(float cosine, float slack) const;
  // The rows that may have a score of `score` or more: all of them where that is far below zero.
  QuantisedBound bound(float score) const;

 private:
  LineAligned<std::uint8_t> numbers_;
  float scale_ = 0;  // 1 / |p|
  float sin_ = 0;    // of β
  float cos_ = 1;
  float rounding_ = 0;  // of a score and of a cosine
};

// A query for stored rows, in about 16 bits a number: what coarse bytes round away is rounded again
// to fine ones. The sum of the two products with a row is their cosine, within 2^-15 of the query's
// largest number for each number. Eight bits alone would lose another 0.2 points of recall.
struct SplitQuery {
  QueryBytes coarse;
  QueryBytes fine;
};

// Splits a unit vector. Writes shape.numbers bytes each, at multiples of 64 bytes.
SplitQuery split_query(std::span<const float> query, const QuantisedShape& shape,
                       std::uint8_t* coarse, std::uint8_t* fine);

// cosines[q * stride + r] = the product of row r's numbers and those of query q, times both scales,
// for n_rows rows of `numbers` numbers; slacks[r] = row r's slack, unless `slacks` is null.
// Requires stride >= n_rows.
using QuantisedCosines = void (*)(const std::byte* const* rows, std::size_t n_rows,
                                  const QueryBytes* queries, std::size_t n_queries,
                                  std::size_t numbers, float* cosines, std::size_t stride,
                                  float* slacks);

// The variant for a level: the best of those that this build and this machine have.
QuantisedCosines quantised_cosines(CpuLevel level);
// The best variant for this machine.
QuantisedCosines quantised_cosines();

// The SIMD variants; null where the compiler's target has no such instructions.
extern const QuantisedCosines kQuantisedPlain;
extern const QuantisedCosines kQuantisedAvx2;
extern const QuantisedCosines kQuantisedVnni;  // needs AVX-512 VNNI
extern const QuantisedCosines kQuantisedNeon;

}  // namespace knarr
