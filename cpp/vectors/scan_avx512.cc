// The AVX-512 twin. The sixteen sums of a product are one register, added in the same tree as in
// the other twins. One query takes eight rows at a time and asks for the next eight meanwhile; many
// queries take four rows by four. A stream goes row by row. Only AVX-512 F is used, and target
// attributes stand on functions, as in the AVX2 twin.
#include "vectors/scan.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#define KNARR_AVX512 __attribute__((target("avx512f")))

namespace knarr {
namespace {

constexpr std::size_t kLanes = 16;

// Halves are taken by masked extracts: the plain ones of some compilers' headers read a variable
// that was never set, and are warned about.
template <int Half>
KNARR_AVX512 inline __m256 half_of(__m512 sums) {
  return _mm256_castpd_ps(_mm512_maskz_extractf64x4_pd(0xFF, _mm512_castps_pd(sums), Half));
}

KNARR_AVX512 inline float total(__m512 sums) {
  const __m256 eight = _mm256_add_ps(half_of<0>(sums), half_of<1>(sums));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// Whether a tile asks for the rows `ahead` while it works.
enum class Ahead { kNone, kRows };

template <int R, int Q, Ahead A>
KNARR_AVX512 inline void tile(const float* const* rows, const float* const* ahead,
                              const float* const* queries, std::size_t dim, float* scores,
                              std::size_t stride) {
  __m512 sums[R][Q];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) sums[r][q] = _mm512_setzero_ps();
  }
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    if constexpr (A == Ahead::kRows) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        _mm_prefetch(reinterpret_cast<const char*>(ahead[r] + i), _MM_HINT_T0);
      }
    }
    __m512 row[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) row[r] = _mm512_loadu_ps(rows[r] + i);
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      const __m512 query = _mm512_loadu_ps(queries[q] + i);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) sums[r][q] = _mm512_fmadd_ps(row[r], query, sums[r][q]);
    }
  }
  if (i < dim) {
    const auto mask = static_cast<__mmask16>((1u << (dim - i)) - 1);
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      const __m512 query = _mm512_maskz_loadu_ps(mask, queries[q] + i);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        sums[r][q] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, rows[r] + i), query, sums[r][q]);
      }
    }
  }
#pragma GCC unroll 8
  for (int q = 0; q < Q; ++q) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      scores[static_cast<std::size_t>(q) * stride + static_cast<std::size_t>(r)] =
          total(sums[r][q]);
    }
  }
}

// R rows, all queries.
template <int R>
KNARR_AVX512 void band(const float* const* rows, const float* const* queries, std::size_t n_queries,
                       std::size_t dim, float* scores, std::size_t stride) {
  std::size_t q = 0;
  for (; q + 4 <= n_queries; q += 4) {
    tile<R, 4, Ahead::kNone>(rows, rows, queries + q, dim, scores + q * stride, stride);
  }
  const std::size_t left = n_queries - q;
  if (left == 3)
    tile<R, 3, Ahead::kNone>(rows, rows, queries + q, dim, scores + q * stride, stride);
  if (left == 2)
    tile<R, 2, Ahead::kNone>(rows, rows, queries + q, dim, scores + q * stride, stride);
  if (left == 1)
    tile<R, 1, Ahead::kNone>(rows, rows, queries + q, dim, scores + q * stride, stride);
}

KNARR_AVX512 void block(const float* const* rows, std::size_t n_rows, const float* const* queries,
                        std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
  std::size_t r = 0;
  if (n_queries == 1) {
    for (; r + 8 <= n_rows; r += 8) {
      const float* const* ahead = r + 16 <= n_rows ? rows + r + 8 : rows + r;
      tile<8, 1, Ahead::kRows>(rows + r, ahead, queries, dim, scores + r, stride);
    }
  } else {
    for (; r + 4 <= n_rows; r += 4) {
      band<4>(rows + r, queries, n_queries, dim, scores + r, stride);
    }
  }
  for (; r < n_rows; ++r) band<1>(rows + r, queries, n_queries, dim, scores + r, stride);
}

KNARR_AVX512 void stream(const float* rows, std::size_t n_rows, const float* query, std::size_t dim,
                         float* scores) {
  for (std::size_t r = 0; r < n_rows; ++r, rows += dim) {
    tile<1, 1, Ahead::kNone>(&rows, &rows, &query, dim, scores + r, 1);
  }
}

constexpr ScanKernel kKernel{block, stream};

}  // namespace

const ScanKernel* const kScanAvx512 = &kKernel;

}  // namespace knarr

#else

namespace knarr {
const ScanKernel* const kScanAvx512 = nullptr;
}  // namespace knarr

#endif
