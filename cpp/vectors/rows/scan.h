// The inner loop of search: many stored rows times a few queries.
//
// There is a kernel for each precision of the rows (row_format.h), which callers see as bytes.
// Queries are unit vectors of dim floats; for int8 rows they come from UnitQueries.
//
// Every variant computes a (row, query) product in the same sixteen running sums: component i goes
// to sum i % 16, and the sums are added in one fixed tree. For int8 rows the product is one of
// whole numbers, scaled at the end. A score thus depends on the row's and the query's numbers only,
// not on where the row stands, on its neighbours, or on how many queries are asked at once. All
// variants for int8 agree to the bit; of the others the AVX2 and AVX-512 variants do, and the plain
// one, which may lack fused multiply-add, within 1e-6 for unit vectors.
#pragma once

#include <cstddef>

#include "base/cpu.h"
#include "vectors/rows/precision.h"

namespace knarr {

struct ScoreKernel {
  // scores[q * stride + r] = rows[r] · queries[q], for r < n_rows, q < n_queries: rows from
  // anywhere, asked for ahead of their use. Queries may have any alignment. Requires stride >=
  // n_rows.
  void (*block)(const std::byte* const* rows, std::size_t n_rows, const float* const* queries,
                std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride);

  // scores[r] = row r · query, for n_rows rows that follow each other: one after the other, as
  // memory is read fastest. Slower than `block` for rows that lie in a near cache.
  void (*stream)(const std::byte* rows, std::size_t n_rows, const float* query, std::size_t dim,
                 float* scores);
};

// The variant for a level, or null when this build has none. Running it needs cpu_level() >= level.
const ScoreKernel* score_kernel(CpuLevel level, Precision rows = Precision::kFloat32);

// The best variant for this machine.
const ScoreKernel& score_kernel(Precision rows = Precision::kFloat32);

// The variants of each precision.
struct ScanKernels {
  ScoreKernel float32;
  ScoreKernel bfloat16;
  ScoreKernel int8;
};

// Null where the compiler's target has no such instructions.
extern const ScanKernels* const kScanPlain;
extern const ScanKernels* const kScanAvx2;
extern const ScanKernels* const kScanAvx512;

}  // namespace knarr
