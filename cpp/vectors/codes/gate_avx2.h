// The gate (gate.h) in registers of AVX2: for code with that target only.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "vectors/codes/gate.h"

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {

// Numbers of 32 rows, sixteen to a register, as unpacking leaves them.
struct Unpacked {
  __m256i first;   // rows 0 to 7 and 16 to 23
  __m256i second;  // rows 8 to 15 and 24 to 31
};

// 2^8 times 32 numbers.
KNARR_AVX2 inline Unpacked unpacked(const std::uint8_t* at) {
  const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i zero = _mm256_setzero_si256();
  return {_mm256_unpacklo_epi8(zero, numbers), _mm256_unpackhi_epi8(zero, numbers)};
}

struct WideGate {
  __m256i more;
  __m256i less;
  __m256i offset_share;
  __m256i least;

  KNARR_AVX2 explicit WideGate(const Gate& gate)
      : more(_mm256_set1_epi16(static_cast<short>(gate.more))),
        less(_mm256_set1_epi16(static_cast<short>(gate.less))),
        offset_share(_mm256_set1_epi16(static_cast<short>(gate.offset_share))),
        least(_mm256_set1_epi16(static_cast<short>(gate.least))) {}

  // What sixteen rows lack.
  KNARR_AVX2 __m256i lack(__m256i sums, __m256i factors, __m256i offsets) const {
    const __m256i inner = _mm256_subs_epu16(_mm256_add_epi16(sums, more), less);
    const __m256i reached = _mm256_adds_epu16(_mm256_mulhi_epu16(factors, inner),
                                              _mm256_mulhi_epu16(offsets, offset_share));
    return _mm256_subs_epu16(least, reached);
  }

  KNARR_AVX2 bool lets_any(const Unpacked& sums, const std::uint8_t* factors,
                           const std::uint8_t* offsets) const {
    const Unpacked f = unpacked(factors);
    const Unpacked o = unpacked(offsets);
    const __m256i lacking =
        _mm256_min_epu16(lack(sums.first, f.first, o.first), lack(sums.second, f.second, o.second));
    return _mm256_movemask_epi8(_mm256_cmpeq_epi16(lacking, _mm256_setzero_si256())) != 0;
  }
};

}  // namespace knarr

#undef KNARR_AVX2
