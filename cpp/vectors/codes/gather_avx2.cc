// The AVX2 variant: a transposition of bytes. Sixteen registers hold sixteen bytes of each of 32
// rows, row i beside row i + 16. A step interleaves the bytes of registers i and i + 8. Number a
// byte by four bits for its row and four for its place: a step rotates these eight bits by one. So
// four steps exchange rows and places, and a register holds one byte of each of 32 rows, as blocks
// have it.
#include "vectors/codes/gather.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#include <algorithm>

#define KNARR_AVX2 __attribute__((target("avx2")))

namespace knarr {
namespace {

constexpr std::size_t kHalf = 16;  // rows of a lane, and bytes that are transposed at once

KNARR_AVX2 inline void interleave(const __m256i* from, __m256i* to) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kHalf / 2; ++i) {
    to[2 * i] = _mm256_unpacklo_epi8(from[i], from[i + kHalf / 2]);
    to[2 * i + 1] = _mm256_unpackhi_epi8(from[i], from[i + kHalf / 2]);
  }
}

KNARR_AVX2 inline __m128i sixteen(const std::byte* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// Slots are a multiple of 16 bytes, so reading sixteen bytes of a code never leaves its slot.
KNARR_AVX2 void gather(const std::byte* slots, const ChunkShape& shape, const std::uint16_t* rows,
                       std::size_t n, std::byte* blocks, std::uint8_t* factors,
                       std::uint8_t* offsets) {
  for (std::size_t begin = 0; begin < n; begin += kBlockCodes, rows += kBlockCodes) {
    for (std::size_t at = 0; at < shape.code_bytes; at += kHalf) {
      __m256i a[kHalf], b[kHalf];
#pragma GCC unroll 16
      for (std::size_t i = 0; i < kHalf; ++i) {
        const __m128i low = sixteen(slots + rows[i] * shape.slot_bytes + at);
        const __m128i high = sixteen(slots + rows[i + kHalf] * shape.slot_bytes + at);
        a[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
      }
      interleave(a, b);
      interleave(b, a);
      interleave(a, b);
      interleave(b, a);
      const std::size_t bytes = std::min(kHalf, shape.code_bytes - at);
      auto* out = reinterpret_cast<__m256i*>(blocks);
      for (std::size_t i = 0; i < bytes; ++i) _mm256_storeu_si256(out + i, a[i]);
      blocks += bytes * kBlockCodes;
    }
    for (std::size_t i = 0; i < kBlockCodes; ++i) {
      const std::byte* numbers = slots + rows[i] * shape.slot_bytes + shape.code_bytes;
      *factors++ = std::to_integer<std::uint8_t>(numbers[0]);
      *offsets++ = std::to_integer<std::uint8_t>(numbers[1]);
    }
  }
}

}  // namespace

const GatherRows kGatherAvx2 = gather;

}  // namespace knarr

#else

namespace knarr {
const GatherRows kGatherAvx2 = nullptr;
}  // namespace knarr

#endif
