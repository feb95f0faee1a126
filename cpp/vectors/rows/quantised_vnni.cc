// The AVX-512 VNNI variant. VPDPBUSD multiplies 64 bytes of a query with 64 numbers of a row and
// adds the products, in fours, to sums of 32 bits. A tile is two rows by four queries, or four by
// one.
#include "vectors/rows/quantised_rows.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <cstdint>

#define KNARR_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

namespace knarr {
namespace {

constexpr std::size_t kStep = 64;  // numbers in a register

// Halves are taken by masked extracts: the plain ones of some compilers' headers read a variable
// that was never set, and are warned about.
template <int Half>
KNARR_VNNI inline __m256i half(__m512i sums) {
  return _mm512_maskz_extracti64x4_epi64(15, sums, Half);
}

// The sum of sixteen numbers.
KNARR_VNNI inline std::int32_t total(__m512i sums) {
  const __m256i eight = _mm256_add_epi32(half<0>(sums), half<1>(sums));
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

// The next numbers, 32 or 64 of them.
KNARR_VNNI inline __m512i load(const void* at, __mmask64 some) {
  return _mm512_maskz_loadu_epi8(some, at);
}

inline float cosine(std::int32_t sum, const std::byte* row, std::size_t numbers, float scale) {
  const QuantisedShape shape(numbers);
  return static_cast<float>(sum - shape.centre(row)) * (shape.scale(row) * scale);
}

template <int R, int Q>
KNARR_VNNI inline void tile(const std::byte* const* rows, const std::byte* const* ahead,
                            const QueryBytes* queries, std::size_t numbers, float* out,
                            std::size_t stride) {
  __m512i sums[R][Q];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) sums[r][q] = _mm512_setzero_si512();
  }
  for (std::size_t i = 0; i < numbers; i += kStep) {
    const __mmask64 some = numbers - i < kStep ? 0xffff'ffffu : ~__mmask64{0};
    __m512i row[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      _mm_prefetch(reinterpret_cast<const char*>(ahead[r] + i), _MM_HINT_T0);
      row[r] = load(rows[r] + i, some);
    }
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      const __m512i query = load(queries[q].numbers + i, some);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sums[r][q] = _mm512_dpbusd_epi32(sums[r][q], query, row[r]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      out[static_cast<std::size_t>(q) * stride + static_cast<std::size_t>(r)] =
          cosine(total(sums[r][q]), rows[r], numbers, queries[q].scale);
    }
  }
}

// All rows, Q queries.
template <int Q>
KNARR_VNNI void band(const std::byte* const* rows, std::size_t n_rows, const QueryBytes* queries,
                     std::size_t numbers, float* out, std::size_t stride) {
  constexpr std::size_t kRows = Q == 1 ? 4 : 2;
  std::size_t r = 0;
  for (; r + kRows <= n_rows; r += kRows) {
    const std::byte* const* ahead = r + 2 * kRows <= n_rows ? rows + r + kRows : rows + r;
    tile<kRows, Q>(rows + r, ahead, queries, numbers, out + r, stride);
  }
  for (; r < n_rows; ++r) tile<1, Q>(rows + r, rows + r, queries, numbers, out + r, stride);
}

KNARR_VNNI void cosines(const std::byte* const* rows, std::size_t n_rows, const QueryBytes* queries,
                        std::size_t n_queries, std::size_t numbers, float* out, std::size_t stride,
                        float* slacks) {
  for (; n_queries >= 4; n_queries -= 4, queries += 4, out += 4 * stride) {
    band<4>(rows, n_rows, queries, numbers, out, stride);
  }
  for (; n_queries >= 1; --n_queries, ++queries, out += stride) {
    band<1>(rows, n_rows, queries, numbers, out, stride);
  }
  const QuantisedShape shape(numbers);
  for (std::size_t r = 0; slacks != nullptr && r < n_rows; ++r) slacks[r] = shape.slack(rows[r]);
}

}  // namespace

const QuantisedCosines kQuantisedVnni = cosines;

}  // namespace knarr

#else

namespace knarr {
const QuantisedCosines kQuantisedVnni = nullptr;
}  // namespace knarr

#endif
