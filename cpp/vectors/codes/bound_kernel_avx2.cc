// The AVX2 variant. A register holds code byte i of 32 rows. Each half of each byte looks up its
// entry by a shuffle (the fast scan of query_table.h), and the eight entries of four bytes are
// added in eight bits. Sums of sixteen bits are kept for even and odd rows: adding the bytes as
// sixteen-bit numbers adds those of odd rows into the high half, which is subtracted again at the
// end. Two blocks are read together, so that each row of the table is loaded once for both. Many
// queries read one block, whose bytes are split once for four of them. The gate spares most blocks
// the bounds.
//
// The target has no fused multiply-add: bounds are those of the plain variant, to the bit.
#include "vectors/codes/bound_kernel.h"
#include "vectors/codes/query_table.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <algorithm>

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {
namespace {

// The entries of this many bytes of code, two of each, sum up to less than 2^16.
constexpr std::size_t kBytesAtOnce = 256;

// The entries of this many bytes of code sum up to less than 2^8.
constexpr std::size_t kBytesTogether = 4;
static_assert(2 * kBytesTogether * kMostEntry < 256);

// Keeps the order of the source. Compilers would move look-ups together, which takes more registers
// than there are, and most of the time then goes into spilling them.
KNARR_AVX2 inline void now(__m256i& done) { asm("" : "+x"(done)); }

// The halves of 32 code bytes.
struct Halves {
  __m256i low;
  __m256i high;
};

KNARR_AVX2 inline Halves halves(const std::byte* at) {
  const __m256i low_half = _mm256_set1_epi8(15);
  __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  now(code);  // loaded once
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

// Adds the entries of 32 bytes of code to `sums`, or sets these where they are the first.
KNARR_AVX2 inline void look_up(const Entries& entries, const Halves& code, bool is_first,
                               __m256i& sums) {
  const __m256i low = _mm256_shuffle_epi8(entries.low, code.low);
  sums = is_first ? low : _mm256_add_epi8(sums, low);
  now(sums);
  sums = _mm256_add_epi8(sums, _mm256_shuffle_epi8(entries.high, code.high));
  now(sums);
}

// Sums of 32 rows, in sixteen bits that may flow over: of rows 2i and, 2^8 times, 2i + 1; and of
// rows 2i + 1.
struct BlockSums {
  __m256i all;
  __m256i odd;

  KNARR_AVX2 void add(__m256i bytes) {
    all = _mm256_add_epi16(all, bytes);
    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(bytes, 8));
  }
  KNARR_AVX2 __m256i even() const { return _mm256_sub_epi16(all, _mm256_slli_epi16(odd, 8)); }
};

inline void prefetch(const std::byte* at) {
  _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T1);
}

// Adds up the entries of N bytes of code, of B blocks that are `stride` bytes apart, and prefetches
// as many from `next` on.
template <int B, std::size_t N>
KNARR_AVX2 inline void add_some(const std::byte* blocks, const std::byte* next, std::size_t stride,
                                const std::uint8_t* table, BlockSums* sums) {
  __m256i bytes[B];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < N; ++i) {
    const Entries here = entries(table + 32 * i);
#pragma GCC unroll 2
    for (int b = 0; b < B; ++b) {
      const std::size_t from = static_cast<std::size_t>(b) * stride + i * kBlockCodes;
      if (i % 2 == 0) prefetch(next + from);  // lines of 64 bytes
      look_up(here, halves(blocks + from), i == 0, bytes[b]);
    }
  }
#pragma GCC unroll 2
  for (int b = 0; b < B; ++b) sums[b].add(bytes[b]);
}

// The same over n bytes of code, from zero on.
template <int B>
KNARR_AVX2 inline void add_entries(const std::byte* blocks, const std::byte* next,
                                   std::size_t stride, std::size_t n, const std::uint8_t* table,
                                   BlockSums* sums) {
  BlockSums own[B];
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

KNARR_AVX2 inline __m256 numbers(const std::uint8_t* at) {
  const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
}

// The bounds of 32 rows, from their sums, eight to a register.
KNARR_AVX2 inline std::uint32_t finish(const __m256i* sums, const std::uint8_t* factors,
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

// Numbers of 32 rows, sixteen to a register, as unpacking leaves them.
struct Unpacked {
  __m256i first;   // rows 0 to 7 and 16 to 23
  __m256i second;  // rows 8 to 15 and 24 to 31
};

// 2^8 times each of 32 numbers.
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

  // By how much sixteen rows miss the least that passes; 0: they pass.
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

KNARR_AVX2 inline Unpacked unpacked(const BlockSums& of) {
  const __m256i even = of.even();
  return {_mm256_unpacklo_epi16(even, of.odd), _mm256_unpackhi_epi16(even, of.odd)};
}

// The sums of 32 rows, eight to a register, in the order of the rows.
KNARR_AVX2 inline void in_order(const Unpacked& of, __m256i* sums) {
  sums[0] = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(of.first));
  sums[1] = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(of.second));
  sums[2] = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(of.first, 1));
  sums[3] = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(of.second, 1));
}

// Bounds of one block of up to kBytesAtOnce bytes of code, where the gate lets any of its rows.
KNARR_AVX2 inline std::uint32_t finish(const BlockSums& of, const WideGate& gate,
                                       const std::uint8_t* factors, const std::uint8_t* offsets,
                                       const BoundTerms& terms, float floor, float* upper) {
  const Unpacked rows = unpacked(of);
  if (!gate.lets_any(rows, factors, offsets)) return 0;
  __m256i sums[4];
  in_order(rows, sums);
  return finish(sums, factors, offsets, terms, floor, upper);
}

// Bounds of one block of more bytes of code.
KNARR_AVX2 std::uint32_t long_block(const std::byte* block, const std::byte* next,
                                    std::size_t code_bytes, const std::uint8_t* factors,
                                    const std::uint8_t* offsets, const std::uint8_t* table,
                                    const BoundTerms& terms, float floor, float* upper) {
  __m256i sums[4] = {};
  for (std::size_t at = 0; at < code_bytes; at += kBytesAtOnce) {
    BlockSums some;
    add_entries<1>(block + at * kBlockCodes, next + at * kBlockCodes, 0,
                   std::min(kBytesAtOnce, code_bytes - at), table + 32 * at, &some);
    __m256i more[4];
    in_order(unpacked(some), more);
    for (int part = 0; part < 4; ++part) sums[part] = _mm256_add_epi32(sums[part], more[part]);
  }
  return finish(sums, factors, offsets, terms, floor, upper);
}

template <int B>
KNARR_AVX2 inline void some(const std::byte* blocks, const std::byte* next, std::size_t code_bytes,
                            const std::uint8_t* factors, const std::uint8_t* offsets,
                            const std::uint8_t* table, const BoundTerms& terms,
                            const WideGate& gate, float floor, float* upper,
                            std::uint32_t* passing) {
  BlockSums sums[B];
  add_entries<B>(blocks, next, code_bytes * kBlockCodes, code_bytes, table, sums);
  for (int b = 0; b < B; ++b, factors += kBlockCodes, offsets += kBlockCodes) {
    passing[b] = finish(sums[b], gate, factors, offsets, terms, floor,
                        upper + static_cast<std::size_t>(b) * kBlockCodes);
  }
}

KNARR_AVX2 void bounds(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                       const std::uint8_t* factors, const std::uint8_t* offsets,
                       const std::uint8_t* table, const BoundTerms& terms, float floor,
                       const std::byte* next, float* upper, std::uint32_t* passing) {
  const std::size_t stride = code_bytes * kBlockCodes;
  const WideGate gate(Gate(terms, floor));
  std::size_t i = 0;
  if (code_bytes <= kBytesAtOnce) {
    for (; i + 2 <= n_blocks; i += 2) {
      const std::size_t row = i * kBlockCodes;
      some<2>(blocks + i * stride, next + i * stride, code_bytes, factors + row, offsets + row,
              table, terms, gate, floor, upper + row, passing + i);
    }
    const std::size_t row = i * kBlockCodes;
    if (i < n_blocks) {
      some<1>(blocks + i * stride, next + i * stride, code_bytes, factors + row, offsets + row,
              table, terms, gate, floor, upper + row, passing + i);
      ++i;
    }
  }
  for (; i < n_blocks; ++i) {
    const std::size_t row = i * kBlockCodes;
    passing[i] = long_block(blocks + i * stride, next + i * stride, code_bytes, factors + row,
                            offsets + row, table, terms, floor, upper + row);
  }
}

// Adds up the entries of N bytes of code of one block for Q queries: the bytes are loaded and split
// once for all. Their entries lie `at` bytes into each table.
template <int Q, std::size_t N>
KNARR_AVX2 inline void add_some_of_many(const std::byte* block, const std::uint8_t* const* tables,
                                        std::size_t at, BlockSums* sums) {
  __m256i bytes[Q];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < N; ++i) {
    const Halves code = halves(block + i * kBlockCodes);
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      look_up(entries(tables[q] + at + 32 * i), code, i == 0, bytes[q]);
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < Q; ++q) sums[q].add(bytes[q]);
}

// The same over n bytes of code, from zero on.
template <int Q>
KNARR_AVX2 inline void add_entries_of_many(const std::byte* block, std::size_t n,
                                           const std::uint8_t* const* tables, BlockSums* sums) {
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

// All blocks of up to kBytesAtOnce bytes of code, Q queries.
template <int Q>
KNARR_AVX2 void band(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                     const std::uint8_t* factors, const std::uint8_t* offsets,
                     const std::uint8_t* const* tables, const BoundTerms* terms,
                     const float* floors, float* upper, std::uint32_t* passing) {
  Gate gates[Q];
  for (int q = 0; q < Q; ++q) gates[q] = Gate(terms[q], floors[q]);
  for (std::size_t i = 0; i < n_blocks; ++i, factors += kBlockCodes, offsets += kBlockCodes) {
    BlockSums sums[Q];
    add_entries_of_many<Q>(blocks + i * code_bytes * kBlockCodes, code_bytes, tables, sums);
    for (int q = 0; q < Q; ++q) {
      const std::size_t to = static_cast<std::size_t>(q) * n_blocks + i;
      passing[to] = finish(sums[q], WideGate(gates[q]), factors, offsets, terms[q], floors[q],
                           upper + to * kBlockCodes);
    }
  }
}

KNARR_AVX2 void bounds_of_many(const std::byte* blocks, std::size_t n_blocks,
                               std::size_t code_bytes, const std::uint8_t* factors,
                               const std::uint8_t* offsets, const std::uint8_t* const* tables,
                               const BoundTerms* terms, const float* floors, std::size_t n_queries,
                               float* upper, std::uint32_t* passing) {
  if (code_bytes > kBytesAtOnce) {
    return bounds_one_by_one<bounds>(blocks, n_blocks, code_bytes, factors, offsets, tables, terms,
                                     floors, n_queries, upper, passing);
  }
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
