// The AVX2 variant: sixteen numbers of a row are widened as they are loaded, multiplied with a
// query's and added in pairs. One query takes four rows at a time and asks for the next four
// meanwhile; many queries take two rows by four, so that a row is widened once for all four.
#include "vectors/rows/int8_rows.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {
namespace {

constexpr std::size_t kStep = 16;  // numbers in a register

// The totals of four registers.
KNARR_AVX2 inline __m128i totals(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  return _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

KNARR_AVX2 inline __m256i widened(const std::byte* row) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
}

// Keeps a compiler from moving a value between registers and memory: worth a fifth.
KNARR_AVX2 inline void pin(__m256i& value) { asm("" : "+x"(value)); }

inline void ask_for(const std::byte* row, std::size_t numbers) {
  for (std::size_t i = 0; i < numbers; i += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(row + i), _MM_HINT_T0);
  }
}

// R rows by Q queries. With one query, as many bytes as the rows have are asked for from `next` on.
template <int R, int Q>
KNARR_AVX2 inline void tile(const std::byte* const* rows, const std::byte* next,
                            const std::int16_t* const* queries, std::size_t numbers,
                            std::int32_t* out, std::size_t stride) {
  const __m256i zero = _mm256_setzero_si256();
  const std::byte* row_at[R];
  const std::int16_t* query_at[Q];
  __m256i sums[R][Q];
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) query_at[q] = queries[q];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    row_at[r] = rows[r];
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) sums[r][q] = zero;
  }
  for (std::size_t i = 0; i < numbers; i += kStep) {
    if (Q == 1) _mm_prefetch(reinterpret_cast<const char*>(next + R * i), _MM_HINT_T0);
    __m256i row[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) row[r] = widened(row_at[r] + i);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      __m256i query = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query_at[q] + i));
      if (Q > 1) pin(query);  // loaded once, not by each multiplication
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        sums[r][q] = _mm256_add_epi32(sums[r][q], _mm256_madd_epi16(row[r], query));
        pin(sums[r][q]);
      }
    }
  }
  alignas(16) std::int32_t four[4];
  auto* const at = reinterpret_cast<__m128i*>(four);
  if constexpr (R == 4 && Q == 1) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     totals(sums[0][0], sums[1][0], sums[2][0], sums[3][0]));
  } else {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      _mm_store_si128(
          at, totals(sums[r][0], Q > 1 ? sums[r][Q > 1 ? 1 : 0] : zero,
                     Q > 2 ? sums[r][Q > 2 ? 2 : 0] : zero, Q > 3 ? sums[r][Q > 3 ? 3 : 0] : zero));
#pragma GCC unroll 4
      for (int q = 0; q < Q; ++q) {
        out[static_cast<std::size_t>(q) * stride + static_cast<std::size_t>(r)] = four[q];
      }
    }
  }
}

// Whether four rows follow each other in memory, more or less.
inline bool are_together(const std::byte* const* rows, std::size_t numbers) {
  const std::ptrdiff_t span = rows[3] - rows[0];
  return span > 0 && span < 4 * static_cast<std::ptrdiff_t>(numbers);
}

// All rows, one query.
KNARR_AVX2 void each(const std::byte* const* rows, std::size_t n_rows,
                     const std::int16_t* const* query, std::size_t numbers, std::int32_t* out) {
  std::size_t r = 0;
  for (; r + 4 <= n_rows; r += 4) {
    const std::byte* const* ahead = r + 8 <= n_rows ? rows + r + 4 : rows + r;
    if (!are_together(ahead, numbers)) {
      for (int i = 0; i < 4; ++i) ask_for(ahead[i], numbers);
    }
    tile<4, 1>(rows + r, ahead[0], query, numbers, out + r, 0);
  }
  for (; r < n_rows; ++r) tile<1, 1>(rows + r, rows[r], query, numbers, out + r, 0);
}

// All rows, Q queries.
template <int Q>
KNARR_AVX2 void band(const std::byte* const* rows, std::size_t n_rows,
                     const std::int16_t* const* queries, std::size_t numbers, std::int32_t* out,
                     std::size_t stride) {
  std::size_t r = 0;
  for (; r + 2 <= n_rows; r += 2) {
    tile<2, Q>(rows + r, nullptr, queries, numbers, out + r, stride);
  }
  for (; r < n_rows; ++r) tile<1, Q>(rows + r, nullptr, queries, numbers, out + r, stride);
}

KNARR_AVX2 void products(const std::byte* const* rows, std::size_t n_rows,
                         const std::int16_t* const* queries, std::size_t n_queries,
                         std::size_t numbers, std::int32_t* out, std::size_t stride) {
  for (; n_queries >= 4; n_queries -= 4, queries += 4, out += 4 * stride) {
    band<4>(rows, n_rows, queries, numbers, out, stride);
  }
  if (n_queries == 3) band<3>(rows, n_rows, queries, numbers, out, stride);
  if (n_queries == 2) band<2>(rows, n_rows, queries, numbers, out, stride);
  if (n_queries == 1) each(rows, n_rows, queries, numbers, out);
}

}  // namespace

const Int8Products kInt8Avx2 = products;

}  // namespace knarr

#else

namespace knarr {
const Int8Products kInt8Avx2 = nullptr;
}  // namespace knarr

#endif
