// What the variants with AVX-512 VNNI share. For x86-64 only.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define KNARR_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

namespace knarr {

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

}  // namespace knarr
