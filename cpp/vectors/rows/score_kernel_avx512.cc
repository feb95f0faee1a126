// The AVX-512 variant. The sixteen sums of a product are one register, added in the same tree as in
// the other variants. One query takes eight rows at a time and asks for the next eight meanwhile;
// many queries take four rows by four. A stream goes row by row. Only AVX-512 F is used, and target
// attributes stand on functions, as in the AVX2 variant.
#include "vectors/rows/score_kernel.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "vectors/rows/row_format.h"

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

// Rows of a precision: how wide a number is, sixteen numbers from number i on, and the n < 16 of
// them that a row ends with, then zeros; how long a row is, and the product that a sum stands for.
struct Avx512Float32 {
  static constexpr std::size_t kBytes = sizeof(float);
  KNARR_AVX512 static __m512 sixteen(const std::byte* row, std::size_t i) {
    return _mm512_loadu_ps(reinterpret_cast<const float*>(row) + i);
  }
  KNARR_AVX512 static __m512 last(const std::byte* row, std::size_t i, std::size_t n) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1),
                                 reinterpret_cast<const float*>(row) + i);
  }
  static std::size_t row_bytes(std::size_t dim) { return dim * kBytes; }
  KNARR_AVX512 static float product(float sum, const std::byte*, std::size_t) { return sum; }
};

struct Avx512Bfloat16 {
  static constexpr std::size_t kBytes = sizeof(std::uint16_t);
  KNARR_AVX512 static __m512 sixteen(const std::byte* row, std::size_t i) {
    return widened(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i * kBytes)));
  }
  KNARR_AVX512 static __m512 last(const std::byte* row, std::size_t i, std::size_t n) {
    __m256i halves = _mm256_setzero_si256();
    std::memcpy(&halves, row + i * kBytes, n * kBytes);
    return widened(halves);
  }
  static std::size_t row_bytes(std::size_t dim) { return bfloat16_factor_at(dim) + sizeof(float); }
  KNARR_AVX512 static float product(float sum, const std::byte* row, std::size_t dim) {
    return sum * *reinterpret_cast<const float*>(row + bfloat16_factor_at(dim));
  }

 private:
  // By masked forms, as the halves of sums above.
  KNARR_AVX512 static __m512 widened(__m256i halves) {
    const __m512i low = _mm512_maskz_cvtepu16_epi32(0xFFFF, halves);
    return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xFFFF, low, 16));
  }
};

// Whether a tile asks for the rows `ahead` while it works.
enum class Avx512Prefetch { kNone, kRows };

template <class Rows, int R, int Q, Avx512Prefetch A>
KNARR_AVX512 inline void tile(const std::byte* const* rows, const std::byte* const* ahead,
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
    if constexpr (A == Avx512Prefetch::kRows) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        _mm_prefetch(reinterpret_cast<const char*>(ahead[r] + i * Rows::kBytes), _MM_HINT_T0);
      }
    }
    __m512 row[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) row[r] = Rows::sixteen(rows[r], i);
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
        sums[r][q] = _mm512_fmadd_ps(Rows::last(rows[r], i, dim - i), query, sums[r][q]);
      }
    }
  }
#pragma GCC unroll 8
  for (int q = 0; q < Q; ++q) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      scores[static_cast<std::size_t>(q) * stride + static_cast<std::size_t>(r)] =
          Rows::product(total(sums[r][q]), rows[r], dim);
    }
  }
}

// R rows, all queries.
template <class Rows, int R>
KNARR_AVX512 void band(const std::byte* const* rows, const float* const* queries,
                       std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
  std::size_t q = 0;
  for (; q + 4 <= n_queries; q += 4) {
    tile<Rows, R, 4, Avx512Prefetch::kNone>(rows, rows, queries + q, dim, scores + q * stride,
                                            stride);
  }
  const std::size_t left = n_queries - q;
  if (left == 3)
    tile<Rows, R, 3, Avx512Prefetch::kNone>(rows, rows, queries + q, dim, scores + q * stride,
                                            stride);
  if (left == 2)
    tile<Rows, R, 2, Avx512Prefetch::kNone>(rows, rows, queries + q, dim, scores + q * stride,
                                            stride);
  if (left == 1)
    tile<Rows, R, 1, Avx512Prefetch::kNone>(rows, rows, queries + q, dim, scores + q * stride,
                                            stride);
}

template <class Rows>
KNARR_AVX512 void block(const std::byte* const* rows, std::size_t n_rows,
                        const float* const* queries, std::size_t n_queries, std::size_t dim,
                        float* scores, std::size_t stride) {
  std::size_t r = 0;
  if (n_queries == 1) {
    for (; r + 8 <= n_rows; r += 8) {
      const std::byte* const* ahead = r + 16 <= n_rows ? rows + r + 8 : rows + r;
      tile<Rows, 8, 1, Avx512Prefetch::kRows>(rows + r, ahead, queries, dim, scores + r, stride);
    }
  } else {
    for (; r + 4 <= n_rows; r += 4) {
      band<Rows, 4>(rows + r, queries, n_queries, dim, scores + r, stride);
    }
  }
  for (; r < n_rows; ++r) band<Rows, 1>(rows + r, queries, n_queries, dim, scores + r, stride);
}

template <class Rows>
KNARR_AVX512 void stream(const std::byte* rows, std::size_t n_rows, const float* query,
                         std::size_t dim, float* scores) {
  for (std::size_t r = 0; r < n_rows; ++r, rows += Rows::row_bytes(dim)) {
    tile<Rows, 1, 1, Avx512Prefetch::kNone>(&rows, &rows, &query, dim, scores + r, 1);
  }
}

constexpr FloatKernels kKernels{{block<Avx512Float32>, stream<Avx512Float32>},
                                {block<Avx512Bfloat16>, stream<Avx512Bfloat16>}};

}  // namespace

const FloatKernels* const kScoreAvx512 = &kKernels;

}  // namespace knarr

#else

namespace knarr {
const FloatKernels* const kScoreAvx512 = nullptr;
}  // namespace knarr

#endif
