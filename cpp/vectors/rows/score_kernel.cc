// Which variant serves a level, and the kernel of int8 rows. That one is made of the variants of
// quantised_rows.h: a query is split into coarse and fine bytes, and its score is the sum of two
// products with the same row.
#include "vectors/rows/score_kernel.h"

#include <algorithm>
#include <array>
#include <span>

#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/unit_vectors.h"

namespace knarr {
namespace {

constexpr std::size_t kPieceRows = 128;
constexpr std::size_t kPieceQueries = 12;

// At most kPieceRows rows and kPieceQueries queries; else as ScoreKernel::block.
void score_int8(QuantisedCosines cosines, const std::byte* const* rows, std::size_t n_rows,
                std::span<const float* const> queries, std::size_t dim, float* scores,
                std::size_t stride) {
  std::array<QueryBytes, 2 * kPieceQueries> halves{};
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const SplitQuery split = split_after(queries[q], dim);
    halves[2 * q] = split.coarse;
    halves[2 * q + 1] = split.fine;
  }
  std::array<float, kPieceRows * 2 * kPieceQueries> parts;
  cosines(rows, n_rows, halves.data(), 2 * queries.size(), QuantisedShape(dim).numbers,
          parts.data(), n_rows, nullptr);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const float* const coarse = parts.data() + 2 * q * n_rows;
    const float* const fine = coarse + n_rows;
    for (std::size_t r = 0; r < n_rows; ++r) scores[q * stride + r] = coarse[r] + fine[r];
  }
}

template <CpuLevel Level>
void int8_block(const std::byte* const* rows, std::size_t n_rows, const float* const* queries,
                std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
  const QuantisedCosines cosines = quantised_cosines(Level);
  const std::span all(queries, n_queries);
  for (std::size_t r = 0; r < n_rows; r += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, n_rows - r);
    for (std::size_t q = 0; q < n_queries; q += kPieceQueries) {
      score_int8(cosines, rows + r, n, all.subspan(q, std::min(kPieceQueries, n_queries - q)), dim,
                 scores + q * stride + r, stride);
    }
  }
}

template <CpuLevel Level>
void int8_stream(const std::byte* rows, std::size_t n_rows, const float* query, std::size_t dim,
                 float* scores) {
  const QuantisedCosines cosines = quantised_cosines(Level);
  const std::size_t row_bytes = QuantisedShape(dim).size_bytes;
  std::array<const std::byte*, kPieceRows> piece;
  for (std::size_t r = 0; r < n_rows; r += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, n_rows - r);
    for (std::size_t i = 0; i < n; ++i) piece[i] = rows + (r + i) * row_bytes;
    score_int8(cosines, piece.data(), n, {&query, 1}, dim, scores + r, n);
  }
}

template <CpuLevel Level>
constexpr ScoreKernel kInt8{int8_block<Level>, int8_stream<Level>};

struct Variant {
  const FloatKernels* floats;
  const ScoreKernel* int8;
};

Variant variant(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAvx512:
      return {kScoreAvx512, &kInt8<CpuLevel::kAvx512>};
    case CpuLevel::kAvx2:
      return {kScoreAvx2, &kInt8<CpuLevel::kAvx2>};
    case CpuLevel::kPlain:
      break;
  }
  return {kScorePlain, &kInt8<CpuLevel::kPlain>};
}

}  // namespace

const ScoreKernel* score_kernel(CpuLevel level, Precision rows) {
  const Variant found = variant(level);
  if (found.floats == nullptr) return nullptr;
  switch (rows) {
    case Precision::kBfloat16:
      return &found.floats->bfloat16;
    case Precision::kInt8:
      return found.int8;
    case Precision::kFloat32:
      break;
  }
  return &found.floats->float32;
}

const ScoreKernel& score_kernel(Precision rows) {
  static const CpuLevel level = cpu_level();
  return *score_kernel(level, rows);
}

}  // namespace knarr
