// The AVX2 twin. A register holds code byte i of 32 rows; each half of each byte looks up its entry
// by a shuffle, and the two entries of a byte are added in eight bits. Sums of sixteen bits are
// kept for even and odd rows: adding the bytes as sixteen-bit numbers adds the odd rows' into the
// high half, which is taken away again at the end. Two blocks are read together, so that each row
// of the table is loaded once for both. Many queries read one block, whose bytes are split once for
// four of them.
//
// The target has no fused multiply-add: bounds are those of the plain twin, to the bit.
#include "vectors/codes.h"
#include "vectors/estimate.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <algorithm>

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {
namespace {

// So many bytes of code, of two entries each, sum up to less than 2^16.
constexpr std::size_t kBytesAtOnce = 256;

// Codes are asked for so many bytes before their use: across pages, where the machine's own
// prefetching stops. Worth a tenth of a scan of more than the caches hold.
constexpr std::size_t kAheadBytes = 8192;

// Adds up the entries of B blocks, `stride` bytes apart, over n bytes of code. The sums of block b
// are, as sixteen-bit numbers, even[b] for rows 0, 2, 4, ... and odd[b] for rows 1, 3, 5, ...
template <int B>
KNARR_AVX2 inline void add_entries(const std::byte* blocks, std::size_t stride, std::size_t n,
                                   const std::uint8_t* table, __m256i* even, __m256i* odd) {
  const __m256i low_half = _mm256_set1_epi8(15);
  __m256i all[B], high[B];
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) all[b] = high[b] = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n; ++i, table += 32) {
    const auto* entries = reinterpret_cast<const __m128i*>(table);
    const __m256i low_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries));
    const __m256i high_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries + 1));
#pragma GCC unroll 2
    for (int b = 0; b < B; ++b) {
      const std::byte* at = blocks + static_cast<std::size_t>(b) * stride + i * kBlockCodes;
      if (i % 2 == 0) _mm_prefetch(reinterpret_cast<const char*>(at + kAheadBytes), _MM_HINT_T0);
      const __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
      const __m256i low = _mm256_and_si256(code, low_half);
      const __m256i top = _mm256_and_si256(_mm256_srli_epi16(code, 4), low_half);
      const __m256i both = _mm256_add_epi8(_mm256_shuffle_epi8(low_table, low),
                                           _mm256_shuffle_epi8(high_table, top));
      all[b] = _mm256_add_epi16(all[b], both);
      high[b] = _mm256_add_epi16(high[b], _mm256_srli_epi16(both, 8));
    }
  }
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) {
    even[b] = _mm256_sub_epi16(all[b], _mm256_slli_epi16(high[b], 8));
    odd[b] = high[b];
  }
}

// The sums of 32 rows, eight to a register, in the order of the rows.
KNARR_AVX2 inline void in_order(__m256i even, __m256i odd, __m256i* sums) {
  const __m256i first = _mm256_unpacklo_epi16(even, odd);   // rows 0 to 7 and 16 to 23
  const __m256i second = _mm256_unpackhi_epi16(even, odd);  // rows 8 to 15 and 24 to 31
  sums[0] = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(first));
  sums[1] = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(second));
  sums[2] = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(first, 1));
  sums[3] = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(second, 1));
}

KNARR_AVX2 inline __m256 numbers(const std::uint16_t* at) {
  const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(eight));
}

KNARR_AVX2 inline std::uint32_t finish(const __m256i* sums, const std::uint16_t* factors,
                                       const std::uint16_t* offsets, const BoundTerms& terms,
                                       float floor, float* upper) {
  std::uint32_t passing = 0;
  for (int part = 0; part < 4; ++part, factors += 8, offsets += 8, upper += 8) {
    const __m256 sum = _mm256_cvtepi32_ps(sums[part]);
    const __m256 inner =
        _mm256_add_ps(_mm256_mul_ps(sum, _mm256_set1_ps(terms.scale)), _mm256_set1_ps(terms.shift));
    const __m256 factor = _mm256_mul_ps(numbers(factors), _mm256_set1_ps(terms.factor_step));
    const __m256 offset =
        _mm256_add_ps(_mm256_mul_ps(numbers(offsets), _mm256_set1_ps(terms.offset_step)),
                      _mm256_set1_ps(terms.offset));
    const __m256 bound = _mm256_add_ps(_mm256_mul_ps(factor, inner), offset);
    _mm256_storeu_ps(upper, bound);
    const __m256 over = _mm256_cmp_ps(bound, _mm256_set1_ps(floor), _CMP_GE_OQ);
    passing |= static_cast<std::uint32_t>(_mm256_movemask_ps(over)) << (8 * part);
  }
  return passing;
}

template <int B>
KNARR_AVX2 inline void some(const std::byte* blocks, std::size_t code_bytes,
                            const std::uint16_t* factors, const std::uint16_t* offsets,
                            const std::uint8_t* table, const BoundTerms& terms, float floor,
                            float* upper, std::uint32_t* passing) {
  const std::size_t stride = code_bytes * kBlockCodes;
  __m256i sums[B][4];
  for (int b = 0; b < B; ++b) {
    for (int part = 0; part < 4; ++part) sums[b][part] = _mm256_setzero_si256();
  }
  for (std::size_t at = 0; at < code_bytes; at += kBytesAtOnce) {
    __m256i even[B], odd[B];
    add_entries<B>(blocks + at * kBlockCodes, stride, std::min(kBytesAtOnce, code_bytes - at),
                   table + 32 * at, even, odd);
    for (int b = 0; b < B; ++b) {
      __m256i more[4];
      in_order(even[b], odd[b], more);
      for (int part = 0; part < 4; ++part) {
        sums[b][part] = _mm256_add_epi32(sums[b][part], more[part]);
      }
    }
  }
  for (int b = 0; b < B; ++b, factors += kBlockCodes, offsets += kBlockCodes) {
    passing[b] = finish(sums[b], factors, offsets, terms, floor,
                        upper + static_cast<std::size_t>(b) * kBlockCodes);
  }
}

KNARR_AVX2 void bounds(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                       const std::uint16_t* factors, const std::uint16_t* offsets,
                       const std::uint8_t* table, const BoundTerms& terms, float floor,
                       float* upper, std::uint32_t* passing) {
  const std::size_t stride = code_bytes * kBlockCodes;
  std::size_t i = 0;
  for (; i + 2 <= n_blocks; i += 2) {
    const std::size_t row = i * kBlockCodes;
    some<2>(blocks + i * stride, code_bytes, factors + row, offsets + row, table, terms, floor,
            upper + row, passing + i);
  }
  const std::size_t row = i * kBlockCodes;
  if (i < n_blocks) {
    some<1>(blocks + i * stride, code_bytes, factors + row, offsets + row, table, terms, floor,
            upper + row, passing + i);
  }
}

// The sums of one block for Q queries: code bytes are loaded and split once for all of them.
template <int Q>
KNARR_AVX2 inline void add_entries_of_many(const std::byte* block, std::size_t n,
                                           const std::uint8_t* const* tables, __m256i* even,
                                           __m256i* odd) {
  const __m256i low_half = _mm256_set1_epi8(15);
  const std::uint8_t* table[Q];
  __m256i all[Q], high[Q];
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) {
    table[q] = tables[q];
    all[q] = high[q] = _mm256_setzero_si256();
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::byte* at = block + i * kBlockCodes;
    const __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i low = _mm256_and_si256(code, low_half);
    const __m256i top = _mm256_and_si256(_mm256_srli_epi16(code, 4), low_half);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      const auto* entries = reinterpret_cast<const __m128i*>(table[q] + 32 * i);
      const __m256i low_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries));
      const __m256i high_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(entries + 1));
      const __m256i both = _mm256_add_epi8(_mm256_shuffle_epi8(low_table, low),
                                           _mm256_shuffle_epi8(high_table, top));
      all[q] = _mm256_add_epi16(all[q], both);
      high[q] = _mm256_add_epi16(high[q], _mm256_srli_epi16(both, 8));
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) {
    even[q] = _mm256_sub_epi16(all[q], _mm256_slli_epi16(high[q], 8));
    odd[q] = high[q];
  }
}

// All blocks, Q queries.
template <int Q>
KNARR_AVX2 void band(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                     const std::uint16_t* factors, const std::uint16_t* offsets,
                     const std::uint8_t* const* tables, const BoundTerms* terms,
                     const float* floors, float* upper, std::uint32_t* passing) {
  for (std::size_t i = 0; i < n_blocks; ++i, factors += kBlockCodes, offsets += kBlockCodes) {
    const std::byte* block = blocks + i * code_bytes * kBlockCodes;
    __m256i sums[Q][4];
    for (auto& parts : sums) {
      for (__m256i& part : parts) part = _mm256_setzero_si256();
    }
    for (std::size_t at = 0; at < code_bytes; at += kBytesAtOnce) {
      const std::uint8_t* at_tables[Q];
      for (int q = 0; q < Q; ++q) at_tables[q] = tables[q] + 32 * at;
      __m256i even[Q], odd[Q];
      add_entries_of_many<Q>(block + at * kBlockCodes, std::min(kBytesAtOnce, code_bytes - at),
                             at_tables, even, odd);
      for (int q = 0; q < Q; ++q) {
        __m256i more[4];
        in_order(even[q], odd[q], more);
        for (int part = 0; part < 4; ++part) {
          sums[q][part] = _mm256_add_epi32(sums[q][part], more[part]);
        }
      }
    }
    for (int q = 0; q < Q; ++q) {
      const std::size_t to = static_cast<std::size_t>(q) * n_blocks + i;
      passing[to] =
          finish(sums[q], factors, offsets, terms[q], floors[q], upper + to * kBlockCodes);
    }
  }
}

KNARR_AVX2 void bounds_of_many(const std::byte* blocks, std::size_t n_blocks,
                               std::size_t code_bytes, const std::uint16_t* factors,
                               const std::uint16_t* offsets, const std::uint8_t* const* tables,
                               const BoundTerms* terms, const float* floors, std::size_t n_queries,
                               float* upper, std::uint32_t* passing) {
  std::size_t q = 0;
  const auto some = [&]<int Q>() {
    band<Q>(blocks, n_blocks, code_bytes, factors, offsets, tables + q, terms + q, floors + q,
            upper + q * n_blocks * kBlockCodes, passing + q * n_blocks);
    q += Q;
  };
  while (q + 4 <= n_queries) some.template operator()<4>();
  if (q + 2 <= n_queries) some.template operator()<2>();
  if (q < n_queries) some.template operator()<1>();
}

constexpr BoundKernel kKernel{bounds, bounds_of_many};

}  // namespace

const BoundKernel* const kBoundAvx2 = &kKernel;

}  // namespace knarr

#else

namespace knarr {
const BoundKernel* const kBoundAvx2 = nullptr;
}  // namespace knarr

#endif
