// The AVX2 variant. The sixteen sums of a product are two registers of eight; a tile of R rows by Q
// queries keeps 2·R·Q of them at work, enough to hide the latency of fused multiply-add, and loads
// each number once. One query takes four rows at a time and asks for the next four meanwhile; many
// queries take two rows by three; a stream goes row by row, since memory is read fastest in order.
//
// Target attributes stand on the functions, not on the file, so that nothing from a header is
// compiled for a machine it might not run on.
#include "vectors/rows/score_kernel.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "vectors/rows/row_format.h"

#define KNARR_AVX2 __attribute__((target("avx2,fma")))

namespace knarr {
namespace {

constexpr std::size_t kLanes = 16;

// Ones, then zeros: loading eight from kMask + 8 - n keeps the first n lanes.
alignas(64) constexpr std::int32_t kMask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

KNARR_AVX2 inline __m256i first_lanes(std::size_t n) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMask + 8 - (n < 8 ? n : 8)));
}

KNARR_AVX2 inline float total(__m256 low, __m256 high) {
  const __m256 eight = _mm256_add_ps(low, high);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// Rows of a precision: how wide a number is, eight numbers from number i on, and the n of them that
// a row ends with, then zeros; how long a row is, and the product that a sum stands for.
struct Avx2Float32 {
  static constexpr std::size_t kBytes = sizeof(float);
  KNARR_AVX2 static __m256 eight(const std::byte* row, std::size_t i) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(row) + i);
  }
  KNARR_AVX2 static __m256 last(const std::byte* row, std::size_t i, std::size_t n) {
    return _mm256_maskload_ps(reinterpret_cast<const float*>(row) + i, first_lanes(n));
  }
  static std::size_t row_bytes(std::size_t dim) { return dim * kBytes; }
  KNARR_AVX2 static float product(float sum, const std::byte*, std::size_t) { return sum; }
};

struct Avx2Bfloat16 {
  static constexpr std::size_t kBytes = sizeof(std::uint16_t);
  KNARR_AVX2 static __m256 eight(const std::byte* row, std::size_t i) {
    return widened(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row + i * kBytes)));
  }
  KNARR_AVX2 static __m256 last(const std::byte* row, std::size_t i, std::size_t n) {
    __m128i halves = _mm_setzero_si128();
    std::memcpy(&halves, row + i * kBytes, (n < 8 ? n : 8) * kBytes);
    return widened(halves);
  }
  static std::size_t row_bytes(std::size_t dim) { return bfloat16_factor_at(dim) + sizeof(float); }
  KNARR_AVX2 static float product(float sum, const std::byte* row, std::size_t dim) {
    return sum * *reinterpret_cast<const float*>(row + bfloat16_factor_at(dim));
  }

 private:
  KNARR_AVX2 static __m256 widened(__m128i halves) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
};

// Whether a tile asks for the rows `ahead` while it works.
enum class Avx2Prefetch { kNone, kRows };

template <class Rows, int R, int Q, Avx2Prefetch A>
KNARR_AVX2 inline void tile(const std::byte* const* rows, const std::byte* const* ahead,
                            const float* const* queries, std::size_t dim, float* scores,
                            std::size_t stride) {
  __m256 sums[2][R][Q];
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
      for (int q = 0; q < Q; ++q) sums[half][r][q] = _mm256_setzero_ps();
    }
  }
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    if constexpr (A == Avx2Prefetch::kRows) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        _mm_prefetch(reinterpret_cast<const char*>(ahead[r] + i * Rows::kBytes), _MM_HINT_T0);
      }
    }
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const std::size_t at = i + 8 * static_cast<std::size_t>(half);
      __m256 row[R];
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) row[r] = Rows::eight(rows[r], at);
#pragma GCC unroll 8
      for (int q = 0; q < Q; ++q) {
        const __m256 query = _mm256_loadu_ps(queries[q] + at);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
          sums[half][r][q] = _mm256_fmadd_ps(row[r], query, sums[half][r][q]);
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    const std::size_t at = i + 8 * static_cast<std::size_t>(half);
    if (at >= dim) break;
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      const __m256 query = _mm256_maskload_ps(queries[q] + at, first_lanes(dim - at));
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        sums[half][r][q] =
            _mm256_fmadd_ps(Rows::last(rows[r], at, dim - at), query, sums[half][r][q]);
      }
    }
  }
#pragma GCC unroll 8
  for (int q = 0; q < Q; ++q) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      scores[static_cast<std::size_t>(q) * stride + static_cast<std::size_t>(r)] =
          Rows::product(total(sums[0][r][q], sums[1][r][q]), rows[r], dim);
    }
  }
}

// R rows, all queries.
template <class Rows, int R>
KNARR_AVX2 void band(const std::byte* const* rows, const float* const* queries,
                     std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
  std::size_t q = 0;
  for (; q + 3 <= n_queries; q += 3) {
    tile<Rows, R, 3, Avx2Prefetch::kNone>(rows, rows, queries + q, dim, scores + q * stride,
                                          stride);
  }
  queries += q;
  scores += q * stride;
  if (n_queries - q == 2)
    tile<Rows, R, 2, Avx2Prefetch::kNone>(rows, rows, queries, dim, scores, stride);
  if (n_queries - q == 1)
    tile<Rows, R, 1, Avx2Prefetch::kNone>(rows, rows, queries, dim, scores, stride);
}

template <class Rows>
KNARR_AVX2 void block(const std::byte* const* rows, std::size_t n_rows, const float* const* queries,
                      std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
  std::size_t r = 0;
  if (n_queries == 1) {
    for (; r + 4 <= n_rows; r += 4) {
      const std::byte* const* ahead = r + 8 <= n_rows ? rows + r + 4 : rows + r;
      tile<Rows, 4, 1, Avx2Prefetch::kRows>(rows + r, ahead, queries, dim, scores + r, stride);
    }
  } else {
    for (; r + 2 <= n_rows; r += 2) {
      band<Rows, 2>(rows + r, queries, n_queries, dim, scores + r, stride);
    }
  }
  for (; r < n_rows; ++r) band<Rows, 1>(rows + r, queries, n_queries, dim, scores + r, stride);
}

template <class Rows>
KNARR_AVX2 void stream(const std::byte* rows, std::size_t n_rows, const float* query,
                       std::size_t dim, float* scores) {
  for (std::size_t r = 0; r < n_rows; ++r, rows += Rows::row_bytes(dim)) {
    tile<Rows, 1, 1, Avx2Prefetch::kNone>(&rows, &rows, &query, dim, scores + r, 1);
  }
}

constexpr FloatKernels kKernels{{block<Avx2Float32>, stream<Avx2Float32>},
                                {block<Avx2Bfloat16>, stream<Avx2Bfloat16>}};

}  // namespace

const FloatKernels* const kScoreAvx2 = &kKernels;

}  // namespace knarr

#else

namespace knarr {
const FloatKernels* const kScoreAvx2 = nullptr;
}  // namespace knarr

#endif
