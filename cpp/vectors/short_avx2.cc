// The AVX2 twin: sixteen numbers of a row are widened as they are loaded, multiplied with the
// query's and added in pairs. Four rows at a time share the query, and ask for the next four.
#include "vectors/short_rows.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {
namespace {

KNARR_AVX2 inline std::int32_t total(__m256i sums) {
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

template <int R>
KNARR_AVX2 inline void some(const std::byte* const* rows, const std::byte* const* ahead,
                            const std::int16_t* query, std::size_t numbers, std::int32_t* out) {
  __m256i sums[R];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) sums[r] = _mm256_setzero_si256();
  for (std::size_t i = 0; i < numbers; i += 32) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + i));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + i + 16));
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const auto* at = reinterpret_cast<const __m128i*>(rows[r] + i);
      if (i % 64 == 0) _mm_prefetch(reinterpret_cast<const char*>(ahead[r] + i), _MM_HINT_T0);
      const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128(at));
      const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128(at + 1));
      sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(low, first));
      sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(high, second));
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) out[r] = total(sums[r]);
}

KNARR_AVX2 void products(const std::byte* const* rows, std::size_t n, const std::int16_t* query,
                         std::size_t numbers, std::int32_t* out) {
  constexpr std::size_t kAhead = 4;  // rows: more come no sooner
  std::size_t r = 0;
  for (; r + 4 <= n; r += 4) {
    const std::size_t ahead = r + kAhead + 4 <= n ? r + kAhead : r;
    some<4>(rows + r, rows + ahead, query, numbers, out + r);
  }
  for (; r < n; ++r) some<1>(rows + r, rows + r, query, numbers, out + r);
}

}  // namespace

const ShortProducts kShortAvx2 = products;

}  // namespace knarr

#else

namespace knarr {
const ShortProducts kShortAvx2 = nullptr;
}  // namespace knarr

#endif
