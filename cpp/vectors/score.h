// Scores of rows that lie anywhere, for one query.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"

namespace knarr {

// scores[i] = the score of rows[i].row. What a file holds of them is asked for first, all at once.
template <class Scored>
void score_each(const VectorView& view, std::span<Scored> rows, const float* query,
                const ScoreKernel& kernel, float* scores) {
  constexpr std::size_t kPieceRows = 32;  // scored by one call of the kernel
  for (const auto& each : rows) view.ask_for(each.row);
  std::array<const std::byte*, kPieceRows> data;
  for (std::size_t at = 0; at < rows.size(); at += kPieceRows) {
    const std::size_t n = std::min(kPieceRows, rows.size() - at);
    for (std::size_t i = 0; i < n; ++i) data[i] = view.data(rows[at + i].row);
    kernel.block(data.data(), n, &query, 1, view.dim(), scores + at, n);
  }
}

}  // namespace knarr
