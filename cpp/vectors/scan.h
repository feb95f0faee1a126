// The inner loop of search: many rows times a few queries.
//
// Every twin computes a (row, query) product in the same sixteen running sums: component i goes to
// sum i % 16, and the sums are added in one fixed tree. A score thus depends on the row's and the
// query's numbers only, not on where the row stands, on its neighbours, or on how many queries are
// asked at once. The AVX2 and AVX-512 twins agree to the bit; the plain one, which may lack fused
// multiply-add, within 1e-6 for unit vectors.
#pragma once

#include <cstddef>

#include "base/cpu.h"

namespace knarr {

struct ScanKernel {
  // scores[q * stride + r] = rows[r] · queries[q], for r < n_rows, q < n_queries: rows from
  // anywhere, asked for ahead of their use. Each row and query is dim floats of any alignment.
  // Requires stride >= n_rows.
  void (*block)(const float* const* rows, std::size_t n_rows, const float* const* queries,
                std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride);

  // scores[r] = row r · query, for (n_rows, dim) rows in C order: one row after the other, as
  // memory is read fastest. Slower than `block` for rows that lie in a near cache.
  void (*stream)(const float* rows, std::size_t n_rows, const float* query, std::size_t dim,
                 float* scores);
};

// The twin for a level, or null when this build has none. Running it needs cpu_level() >= level.
const ScanKernel* scan_kernel(CpuLevel level);

// The best twin for this machine.
const ScanKernel& scan_kernel();

// The twins; null where the compiler's target has no such instructions.
extern const ScanKernel* const kScanPlain;
extern const ScanKernel* const kScanAvx2;
extern const ScanKernel* const kScanAvx512;

}  // namespace knarr
