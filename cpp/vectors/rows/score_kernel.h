// Score kernels, the inner loop of exact search: dot products of many stored rows with a few
// queries.
//
// There is one for each precision of the rows (row_format.h), which callers see as bytes. Queries
// are unit vectors of dim floats; for int8 rows they must come from UnitQueries.
//
// A score depends on the numbers of its row and its query only: not on where the row stands, on its
// neighbours, or on how many queries are asked at once. For float32 and bfloat16 every variant
// keeps the same sixteen running sums of a product: component i goes to sum i % 16, and one fixed
// tree adds them. The AVX2 and AVX-512 variants agree to the bit; the plain one, which may lack
// fused multiply-add, agrees within 1e-6 for unit vectors. For int8 the sums are whole numbers,
// scaled at the end, and all variants agree to the bit.
#pragma once

#include <cstddef>

#include "base/cpu.h"
#include "vectors/rows/row_format.h"

namespace knarr {

struct ScoreKernel {
  // scores[q * stride + r] = rows[r] · queries[q], for r < n_rows and q < n_queries. Rows may lie
  // anywhere; they are prefetched. Queries may have any alignment. Requires stride >= n_rows.
  void (*block)(const std::byte* const* rows, std::size_t n_rows, const float* const* queries,
                std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride);

  // scores[r] = row r · query, for n_rows rows that follow each other. It goes row by row, which
  // reads memory fastest; `block` is faster for rows in a near cache.
  void (*stream)(const std::byte* rows, std::size_t n_rows, const float* query, std::size_t dim,
                 float* scores);
};

// The variant for a level, or null when this build has none. Running it needs cpu_level() >= level.
const ScoreKernel* score_kernel(CpuLevel level, Precision rows = Precision::kFloat32);

// The best variant for this machine.
const ScoreKernel& score_kernel(Precision rows = Precision::kFloat32);

// A variant of the kernels that multiply floats.
struct FloatKernels {
  ScoreKernel float32;
  ScoreKernel bfloat16;
};

// Null where the compiler's target has no such instructions.
extern const FloatKernels* const kScorePlain;
extern const FloatKernels* const kScoreAvx2;
extern const FloatKernels* const kScoreAvx512;

}  // namespace knarr
