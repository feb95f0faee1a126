// The AVX2 variant. VPMADDUBSW multiplies 32 bytes of a query with 32 numbers of a row and adds
// neighbours in 16 bits; by the pair rule (quantised_rows.h) they never saturate. VPMADDWD by ones
// then adds these in pairs in 32 bits.
//
// A tile is four rows by one query or two. The first queries also prefetch the next four rows; for
// the queries after them the rows already lie in a cache.
#include "vectors/rows/quantised_rows.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {
namespace {

constexpr std::size_t kStep = 32;  // numbers in a register

// The totals of four registers.
KNARR_AVX2 inline __m128i totals(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  return _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

// Keeps the compiler from moving a value between registers and memory, which costs a fifth.
KNARR_AVX2 inline void pin(__m256i& value) { asm("" : "+x"(value)); }

inline void ask_for(const std::byte* row, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(row + i), _MM_HINT_T0);
  }
}

// Scale, slack and centre of four rows.
struct Terms {
  __m128 scales, slacks;
  __m128i centres;
};

KNARR_AVX2 inline Terms terms(const std::byte* const* rows, std::size_t numbers) {
  __m128 t[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4;
       ++r) {  // from the four numbers before them, so that no load leaves the row
    t[r] = _mm_loadu_ps(reinterpret_cast<const float*>(rows[r] + numbers) - 1);
  }
  const __m128 low01 = _mm_unpacklo_ps(t[0], t[1]), low23 = _mm_unpacklo_ps(t[2], t[3]);
  const __m128 high01 = _mm_unpackhi_ps(t[0], t[1]), high23 = _mm_unpackhi_ps(t[2], t[3]);
  return {_mm_movehl_ps(low23, low01), _mm_movelh_ps(high01, high23),
          _mm_castps_si128(_mm_movehl_ps(high23, high01))};
}

// Whether a tile prefetches four rows, from `next` on.
enum class QuantisedPrefetch { kNone, kRows };

// Four rows by Q queries.
template <int Q, QuantisedPrefetch A>
KNARR_AVX2 inline void tile(const std::byte* const* rows, const std::byte* next,
                            const QueryBytes* queries, std::size_t numbers, float* out,
                            std::size_t stride, float* slacks) {
  const __m256i ones = _mm256_set1_epi16(1);
  const std::byte* row_at[4];
  const std::uint8_t* query_at[Q];
  __m256i sums[4][Q];
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) query_at[q] = queries[q].numbers;
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
    row_at[r] = rows[r];
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) sums[r][q] = _mm256_setzero_si256();
  }
  if (A == QuantisedPrefetch::kRows) ask_for(next + 4 * numbers, 1);  // their terms
  for (std::size_t i = 0; i < numbers; i += kStep) {
    if (A == QuantisedPrefetch::kRows) ask_for(next + 4 * i, 4 * kStep);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      const __m256i query = _mm256_load_si256(reinterpret_cast<const __m256i*>(query_at[q] + i));
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        const __m256i row = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row_at[r] + i));
        const __m256i pairs = _mm256_maddubs_epi16(query, row);
        sums[r][q] = _mm256_add_epi32(sums[r][q], _mm256_madd_epi16(pairs, ones));
        pin(sums[r][q]);
      }
    }
  }
  const Terms kept = terms(rows, numbers);
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) {
    const __m128i sum = totals(sums[0][q], sums[1][q], sums[2][q], sums[3][q]);
    const __m128 product = _mm_cvtepi32_ps(_mm_sub_epi32(sum, kept.centres));
    const __m128 scale = _mm_mul_ps(kept.scales, _mm_set1_ps(queries[q].scale));
    _mm_storeu_ps(out + static_cast<std::size_t>(q) * stride, _mm_mul_ps(product, scale));
  }
  if (slacks != nullptr) _mm_storeu_ps(slacks, kept.slacks);
}

// Whether four rows lie one after the other in memory, more or less.
inline bool are_together(const std::byte* const* rows, std::size_t numbers) {
  const std::ptrdiff_t span = rows[3] - rows[0];
  return span > 0 && span < 4 * static_cast<std::ptrdiff_t>(numbers);
}

// All rows, Q queries. A last tile of fewer than four rows repeats its first one.
template <int Q, QuantisedPrefetch A>
KNARR_AVX2 void band(const std::byte* const* rows, std::size_t n_rows, const QueryBytes* queries,
                     std::size_t numbers, float* out, std::size_t stride, float* slacks) {
  std::size_t r = 0;
  for (; r + 4 <= n_rows; r += 4) {
    const std::byte* const* ahead = r + 8 <= n_rows ? rows + r + 4 : rows + r;
    if (A == QuantisedPrefetch::kRows && !are_together(ahead, numbers)) {
      for (int i = 0; i < 4; ++i) ask_for(ahead[i], numbers);
    }
    tile<Q, A>(rows + r, ahead[0], queries, numbers, out + r, stride,
               slacks != nullptr ? slacks + r : nullptr);
  }
  if (r == n_rows) return;
  const std::byte* last[4];
  float cosines[4 * Q], last_slacks[4];
  for (std::size_t i = 0; i < 4; ++i) last[i] = rows[r + i < n_rows ? r + i : r];
  tile<Q, QuantisedPrefetch::kNone>(last, last[0], queries, numbers, cosines, 4, last_slacks);
  for (std::size_t i = 0; r + i < n_rows; ++i) {
    for (std::size_t q = 0; q < Q; ++q) out[q * stride + r + i] = cosines[q * 4 + i];
    if (slacks != nullptr) slacks[r + i] = last_slacks[i];
  }
}

KNARR_AVX2 void cosines(const std::byte* const* rows, std::size_t n_rows, const QueryBytes* queries,
                        std::size_t n_queries, std::size_t numbers, float* out, std::size_t stride,
                        float* slacks) {
  if (n_queries == 1) {
    band<1, QuantisedPrefetch::kRows>(rows, n_rows, queries, numbers, out, stride, slacks);
    return;
  }
  band<2, QuantisedPrefetch::kRows>(rows, n_rows, queries, numbers, out, stride, slacks);
  for (n_queries -= 2, queries += 2, out += 2 * stride; n_queries >= 2;
       n_queries -= 2, queries += 2, out += 2 * stride) {
    band<2, QuantisedPrefetch::kNone>(rows, n_rows, queries, numbers, out, stride, nullptr);
  }
  if (n_queries == 1)
    band<1, QuantisedPrefetch::kNone>(rows, n_rows, queries, numbers, out, stride, nullptr);
}

}  // namespace

const QuantisedCosines kQuantisedAvx2 = cosines;

}  // namespace knarr

#else

namespace knarr {
const QuantisedCosines kQuantisedAvx2 = nullptr;
}  // namespace knarr

#endif
