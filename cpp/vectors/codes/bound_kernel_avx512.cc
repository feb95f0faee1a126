// The AVX-512 variant. As the AVX2 variant, with two blocks in one register: block 0 in its low
// half, block 1 in its high half. A single block stands in both halves. Needs AVX-512 BW for
// shuffles of bytes.
#include "vectors/codes/bound_kernel.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <algorithm>

#define KNARR_AVX512 __attribute__((target("avx512f,avx512bw")))

namespace knarr {
namespace {

constexpr std::size_t kBytesAtOnce = 256;

constexpr std::size_t kLine = 64;

KNARR_AVX512 inline __m512i two(const std::byte* a, const std::byte* b) {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  return _mm512_maskz_inserti64x4(0xFF, _mm512_castsi256_si512(first), second, 1);
}

KNARR_AVX512 inline __m512i four(const std::uint8_t* entries) {
  return _mm512_maskz_broadcast_i32x4(0xFFFF,
                                      _mm_loadu_si128(reinterpret_cast<const __m128i*>(entries)));
}

// The sums of sixteen bits of rows 0, 2, 4, ... and 1, 3, 5, ... of both blocks.
KNARR_AVX512 inline void add_entries(const std::byte* a, const std::byte* b, std::size_t n,
                                     const std::uint8_t* table, __m512i& even, __m512i& odd) {
  const __m512i low_half = _mm512_set1_epi8(15);
  __m512i all = _mm512_setzero_si512(), high = all;
  for (std::size_t i = 0; i < n; ++i, table += 32) {
    const __m512i code = two(a + i * kBlockCodes, b + i * kBlockCodes);
    const __m512i low = _mm512_and_si512(code, low_half);
    const __m512i top = _mm512_and_si512(_mm512_srli_epi16(code, 4), low_half);
    const __m512i both = _mm512_add_epi8(_mm512_shuffle_epi8(four(table), low),
                                         _mm512_shuffle_epi8(four(table + 16), top));
    all = _mm512_add_epi16(all, both);
    high = _mm512_add_epi16(high, _mm512_srli_epi16(both, 8));
  }
  even = _mm512_sub_epi16(all, _mm512_slli_epi16(high, 8));
  odd = high;
}

template <int Quarter>
KNARR_AVX512 inline __m256i eight(__m512i first, __m512i second, bool is_second) {
  const __m512i from = is_second ? second : first;
  return _mm256_cvtepu16_epi32(_mm512_maskz_extracti32x4_epi32(0xF, from, Quarter));
}

KNARR_AVX512 inline __m256 numbers(const std::uint8_t* at) {
  const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
}

KNARR_AVX512 inline std::uint32_t finish(const __m256i* sums, const std::uint8_t* factors,
                                         const std::uint8_t* offsets, const BoundTerms& terms,
                                         float floor, float* upper) {
  std::uint32_t passing = 0;
  for (int part = 0; part < 4; ++part, factors += 8, offsets += 8, upper += 8) {
    const __m256 sum = _mm256_cvtepi32_ps(sums[part]);
    const __m256 inner =
        _mm256_add_ps(_mm256_mul_ps(sum, _mm256_set1_ps(terms.scale)), _mm256_set1_ps(terms.shift));
    const __m256 offset =
        _mm256_add_ps(_mm256_mul_ps(numbers(offsets), _mm256_set1_ps(terms.offset_step)),
                      _mm256_set1_ps(terms.offset));
    const __m256 bound = _mm256_add_ps(_mm256_mul_ps(numbers(factors), inner), offset);
    _mm256_storeu_ps(upper, bound);
    const __m256 over = _mm256_cmp_ps(bound, _mm256_set1_ps(floor), _CMP_GE_OQ);
    passing |= static_cast<std::uint32_t>(_mm256_movemask_ps(over)) << (8 * part);
  }
  return passing;
}

KNARR_AVX512 void bounds(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                         const std::uint8_t* factors, const std::uint8_t* offsets,
                         const std::uint8_t* table, const BoundTerms& terms, float floor,
                         const std::byte* next, float* upper, std::uint32_t* passing) {
  const std::size_t stride = code_bytes * kBlockCodes;
  for (std::size_t i = 0; i < n_blocks; i += 2) {
    const bool is_pair = i + 2 <= n_blocks;
    const std::byte* a = blocks + i * stride;
    const std::byte* b = is_pair ? a + stride : a;
    for (std::size_t at = i * stride; at < (i + 2) * stride; at += kLine) {
      _mm_prefetch(reinterpret_cast<const char*>(next + at), _MM_HINT_T0);
    }
    __m256i sums[2][4];
    for (auto& block : sums) {
      for (auto& part : block) part = _mm256_setzero_si256();
    }
    for (std::size_t at = 0; at < code_bytes; at += kBytesAtOnce) {
      __m512i even, odd;
      add_entries(a + at * kBlockCodes, b + at * kBlockCodes,
                  std::min(kBytesAtOnce, code_bytes - at), table + 32 * at, even, odd);
      const __m512i first = _mm512_unpacklo_epi16(even, odd);   // rows 0-7, 16-23 of each block
      const __m512i second = _mm512_unpackhi_epi16(even, odd);  // rows 8-15, 24-31
      for (int part = 0; part < 4; ++part) {
        const bool is_second = part % 2 == 1;
        const bool is_late = part >= 2;
        const __m256i of_a =
            is_late ? eight<1>(first, second, is_second) : eight<0>(first, second, is_second);
        const __m256i of_b =
            is_late ? eight<3>(first, second, is_second) : eight<2>(first, second, is_second);
        sums[0][part] = _mm256_add_epi32(sums[0][part], of_a);
        sums[1][part] = _mm256_add_epi32(sums[1][part], of_b);
      }
    }
    for (std::size_t block = 0; block < (is_pair ? 2u : 1u); ++block) {
      const std::size_t row = (i + block) * kBlockCodes;
      passing[i + block] =
          finish(sums[block], factors + row, offsets + row, terms, floor, upper + row);
    }
  }
}

constexpr BoundKernel kKernel{bounds, bounds_one_by_one<bounds>};

}  // namespace

const BoundKernel* const kBoundAvx512 = &kKernel;

}  // namespace knarr

#else

namespace knarr {
const BoundKernel* const kBoundAvx512 = nullptr;
}  // namespace knarr

#endif
