// A product is a whole number times the row's step and the query's: the same in all variants,
// wherever the row stands.
#include "vectors/rows/scan_int8.h"

#include <algorithm>
#include <array>
#include <span>

#include "vectors/rows/int8_rows.h"
#include "vectors/rows/unit_queries.h"

namespace knarr {
namespace {

constexpr std::size_t kPieceRows = 128;
constexpr std::size_t kPieceQueries = 12;

// At most kPieceRows rows, and kPieceQueries queries; as ScoreKernel::block.
void score(Int8Products products, const std::byte* const* rows, std::size_t n_rows,
           std::span<const float* const> queries, std::size_t dim, float* scores,
           std::size_t stride) {
  const Int8Shape shape(dim);
  std::array<const std::int16_t*, kPieceQueries> numbers{};
  for (std::size_t q = 0; q < queries.size(); ++q)
    numbers[q] = whole_query(queries[q], dim).numbers;
  std::array<std::int32_t, kPieceRows * kPieceQueries> sums;
  products(rows, n_rows, numbers.data(), queries.size(), shape.numbers, sums.data(), n_rows);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const float step = whole_query(queries[q], dim).step;
    for (std::size_t r = 0; r < n_rows; ++r) {
      scores[q * stride + r] =
          static_cast<float>(sums[q * n_rows + r]) * (shape.step(rows[r]) * step);
    }
  }
}

}  // namespace

void scan_int8_block(CpuLevel level, const std::byte* const* rows, std::size_t n_rows,
                     const float* const* queries, std::size_t n_queries, std::size_t dim,
                     float* scores, std::size_t stride) {
  const Int8Products products = int8_products(level);
  const std::span all(queries, n_queries);
  for (std::size_t r = 0; r < n_rows; r += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, n_rows - r);
    for (std::size_t q = 0; q < n_queries; q += kPieceQueries) {
      score(products, rows + r, n, all.subspan(q, std::min(kPieceQueries, n_queries - q)), dim,
            scores + q * stride + r, stride);
    }
  }
}

void scan_int8_stream(CpuLevel level, const std::byte* rows, std::size_t n_rows, const float* query,
                      std::size_t dim, float* scores) {
  const Int8Products products = int8_products(level);
  const std::size_t row_bytes = Int8Shape(dim).size_bytes;
  std::array<const std::byte*, kPieceRows> piece;
  for (std::size_t r = 0; r < n_rows; r += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, n_rows - r);
    for (std::size_t i = 0; i < n; ++i) piece[i] = rows + (r + i) * row_bytes;
    score(products, piece.data(), n, {&query, 1}, dim, scores + r, n);
  }
}

}  // namespace knarr
