// The AVX2 twin. A register holds code byte i of 32 rows; each half of each byte looks up its entry
// by a shuffle, and the eight entries of four bytes are added in eight bits. Sums of sixteen bits
// are kept for even and odd rows: adding the bytes as sixteen-bit numbers adds the odd rows' into
// the high half, which is taken away again at the end. Two blocks are read together, so that each
// row of the table is loaded once for both. Many queries read one block, whose bytes are split once
// for four of them.
//
// The target has no fused multiply-add: bounds are those of the plain twin, to the bit.
#include "vectors/codes.h"
#include "vectors/estimate.h"
#include "vectors/query_table.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <algorithm>

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {
namespace {

// So many bytes of code, of two entries each, sum up to less than 2^16.
constexpr std::size_t kBytesAtOnce = 256;

// The entries of so many bytes of code sum up to less than 2^8.
constexpr std::size_t kBytesTogether = 4;
static_assert(2 * kBytesTogether * kMostEntry < 256);

// The halves of 32 code bytes.
struct Halves {
  __m256i low;
  __m256i high;
};

KNARR_AVX2 inline Halves halves(const std::byte* at) {
  const __m256i low_half = _mm256_set1_epi8(15);
  const __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  return {_mm256_and_si256(code, low_half), _mm256_and_si256(_mm256_srli_epi16(code, 4), low_half)};
}

// The entries of a code byte.
struct Entries {
  __m256i low;
  __m256i high;
};

KNARR_AVX2 inline Entries entries(const std::uint8_t* table) {
  const auto* at = reinterpret_cast<const __m128i*>(table);
  return {_mm256_broadcastsi128_si256(_mm_loadu_si128(at)),
          _mm256_broadcastsi128_si256(_mm_loadu_si128(at + 1))};
}

KNARR_AVX2 inline __m256i looked_up(const Entries& entries, const Halves& code) {
  return _mm256_add_epi8(_mm256_shuffle_epi8(entries.low, code.low),
                         _mm256_shuffle_epi8(entries.high, code.high));
}

// Sums of 32 rows, in sixteen bits that may flow over: of rows 2i and, 2^8 times, 2i + 1; and of
// rows 2i + 1.
struct Sums {
  __m256i all;
  __m256i odd;

  KNARR_AVX2 void add(__m256i bytes) {
    all = _mm256_add_epi16(all, bytes);
    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(bytes, 8));
  }
  KNARR_AVX2 __m256i even() const { return _mm256_sub_epi16(all, _mm256_slli_epi16(odd, 8)); }
};

inline void ask_for(const std::byte* at) {
  _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T0);
}

// Adds up the entries of N bytes of code, of B blocks that are `stride` bytes apart, and asks for
// as many from `next` on.
template <int B, std::size_t N>
KNARR_AVX2 inline void add_some(const std::byte* blocks, const std::byte* next, std::size_t stride,
                                const std::uint8_t* table, Sums* sums) {
  __m256i bytes[B];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < N; ++i) {
    const Entries here = entries(table + 32 * i);
#pragma GCC unroll 2
    for (int b = 0; b < B; ++b) {
      const std::size_t from = static_cast<std::size_t>(b) * stride + i * kBlockCodes;
      if (i % 2 == 0) ask_for(next + from);  // lines of 64 bytes
      const __m256i more = looked_up(here, halves(blocks + from));
      bytes[b] = i == 0 ? more : _mm256_add_epi8(bytes[b], more);
    }
  }
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) sums[b].add(bytes[b]);
}

// The same over n bytes of code, from zero on.
template <int B>
KNARR_AVX2 inline void add_entries(const std::byte* blocks, const std::byte* next,
                                   std::size_t stride, std::size_t n, const std::uint8_t* table,
                                   Sums* sums) {
  Sums own[B];
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) own[b].all = own[b].odd = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + kBytesTogether <= n; i += kBytesTogether) {
    const std::size_t at = i * kBlockCodes;
    add_some<B, kBytesTogether>(blocks + at, next + at, stride, table + 32 * i, own);
  }
  for (; i < n; ++i) {
    const std::size_t at = i * kBlockCodes;
    add_some<B, 1>(blocks + at, next + at, stride, table + 32 * i, own);
  }
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) sums[b] = own[b];
}

// The sums of 32 rows, eight to a register, in the order of the rows.
KNARR_AVX2 inline void in_order(const Sums& of, __m256i* sums) {
  const __m256i first = _mm256_unpacklo_epi16(of.even(), of.odd);   // rows 0 to 7 and 16 to 23
  const __m256i second = _mm256_unpackhi_epi16(of.even(), of.odd);  // rows 8 to 15 and 24 to 31
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

template <int B>
KNARR_AVX2 inline void some(const std::byte* blocks, const std::byte* next, std::size_t code_bytes,
                            const std::uint16_t* factors, const std::uint16_t* offsets,
                            const std::uint8_t* table, const BoundTerms& terms, float floor,
                            float* upper, std::uint32_t* passing) {
  const std::size_t stride = code_bytes * kBlockCodes;
  __m256i sums[B][4];
  for (int b = 0; b < B; ++b) {
    for (int part = 0; part < 4; ++part) sums[b][part] = _mm256_setzero_si256();
  }
  for (std::size_t at = 0; at < code_bytes; at += kBytesAtOnce) {
    Sums some[B];
    add_entries<B>(blocks + at * kBlockCodes, next + at * kBlockCodes, stride,
                   std::min(kBytesAtOnce, code_bytes - at), table + 32 * at, some);
    for (int b = 0; b < B; ++b) {
      __m256i more[4];
      in_order(some[b], more);
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
                       const std::byte* next, float* upper, std::uint32_t* passing) {
  const std::size_t stride = code_bytes * kBlockCodes;
  std::size_t i = 0;
  for (; i + 2 <= n_blocks; i += 2) {
    const std::size_t row = i * kBlockCodes;
    some<2>(blocks + i * stride, next + i * stride, code_bytes, factors + row, offsets + row, table,
            terms, floor, upper + row, passing + i);
  }
  const std::size_t row = i * kBlockCodes;
  if (i < n_blocks) {
    some<1>(blocks + i * stride, next + i * stride, code_bytes, factors + row, offsets + row, table,
            terms, floor, upper + row, passing + i);
  }
}

// Adds up the entries of N bytes of code of one block for Q queries: the bytes are loaded and split
// once for all. Their entries lie `at` bytes into each table.
template <int Q, std::size_t N>
KNARR_AVX2 inline void add_some_of_many(const std::byte* block, const std::uint8_t* const* tables,
                                        std::size_t at, Sums* sums) {
  __m256i bytes[Q];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < N; ++i) {
    const Halves code = halves(block + i * kBlockCodes);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      const __m256i more = looked_up(entries(tables[q] + at + 32 * i), code);
      bytes[q] = i == 0 ? more : _mm256_add_epi8(bytes[q], more);
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) sums[q].add(bytes[q]);
}

// The same over n bytes of code, from zero on.
template <int Q>
KNARR_AVX2 inline void add_entries_of_many(const std::byte* block, std::size_t n,
                                           const std::uint8_t* const* tables, Sums* sums) {
  const std::uint8_t* own_tables[Q];
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) {
    own_tables[q] = tables[q];
    sums[q].all = sums[q].odd = _mm256_setzero_si256();
  }
  std::size_t i = 0;
  for (; i + kBytesTogether <= n; i += kBytesTogether) {
    add_some_of_many<Q, kBytesTogether>(block + i * kBlockCodes, own_tables, 32 * i, sums);
  }
  for (; i < n; ++i) {
    add_some_of_many<Q, 1>(block + i * kBlockCodes, own_tables, 32 * i, sums);
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
      Sums some[Q];
      add_entries_of_many<Q>(block + at * kBlockCodes, std::min(kBytesAtOnce, code_bytes - at),
                             at_tables, some);
      for (int q = 0; q < Q; ++q) {
        __m256i more[4];
        in_order(some[q], more);
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
