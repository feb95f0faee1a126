// A product is a whole number times the row's step and the query's: the same in all twins, wherever
// the row stands.
#include "vectors/scan_int8.h"

#include <algorithm>
#include <array>

#include "vectors/short_rows.h"
#include "vectors/unit_queries.h"

namespace knarr {
namespace {

constexpr std::size_t kPieceRows = 128;

using Products = std::array<std::int32_t, kPieceRows>;

// One query, at most kPieceRows rows.
void score(ShortProducts products, const std::byte* const* rows, std::size_t n_rows,
           const WholeQuery& query, const ShortShape& shape, float* scores) {
  Products sums;
  products(rows, n_rows, &query.numbers, 1, shape.numbers, sums.data(), n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) {
    scores[r] = static_cast<float>(sums[r]) * (shape.step(rows[r]) * query.step);
  }
}

}  // namespace

void scan_int8_block(CpuLevel level, const std::byte* const* rows, std::size_t n_rows,
                     const float* const* queries, std::size_t n_queries, std::size_t dim,
                     float* scores, std::size_t stride) {
  const ShortProducts products = short_products(level);
  const ShortShape shape(dim);
  for (std::size_t r = 0; r < n_rows; r += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, n_rows - r);
    for (std::size_t q = 0; q < n_queries; ++q) {
      score(products, rows + r, n, whole_query(queries[q], dim), shape, scores + q * stride + r);
    }
  }
}

void scan_int8_stream(CpuLevel level, const std::byte* rows, std::size_t n_rows, const float* query,
                      std::size_t dim, float* scores) {
  const ShortProducts products = short_products(level);
  const ShortShape shape(dim);
  std::array<const std::byte*, kPieceRows> piece;
  for (std::size_t r = 0; r < n_rows; r += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, n_rows - r);
    for (std::size_t i = 0; i < n; ++i) piece[i] = rows + (r + i) * shape.size_bytes;
    score(products, piece.data(), n, whole_query(query, dim), shape, scores + r);
  }
}

}  // namespace knarr
