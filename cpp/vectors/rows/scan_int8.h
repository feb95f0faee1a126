// Kernels for int8 rows, from the products of int8_rows.h.
#pragma once

#include "vectors/rows/score_kernel.h"

namespace knarr {

void scan_int8_block(CpuLevel level, const std::byte* const* rows, std::size_t n_rows,
                     const float* const* queries, std::size_t n_queries, std::size_t dim,
                     float* scores, std::size_t stride);
void scan_int8_stream(CpuLevel level, const std::byte* rows, std::size_t n_rows, const float* query,
                      std::size_t dim, float* scores);

// The kernel with the best variant of int8_rows.h for a level.
template <CpuLevel Level>
constexpr ScoreKernel int8_kernel() {
  return {[](const std::byte* const* rows, std::size_t n_rows, const float* const* queries,
             std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
            scan_int8_block(Level, rows, n_rows, queries, n_queries, dim, scores, stride);
          },
          [](const std::byte* rows, std::size_t n_rows, const float* query, std::size_t dim,
             float* scores) { scan_int8_stream(Level, rows, n_rows, query, dim, scores); }};
}

}  // namespace knarr
