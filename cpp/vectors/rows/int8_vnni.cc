// The AVX-512 VNNI variant: 32 numbers of a row are widened as they are loaded, and one instruction
// multiplies them with a query's and adds them, in pairs, to the sums. Two rows by four queries.
#include "vectors/rows/int8_rows.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include "vectors/rows/vnni.h"

namespace knarr {
namespace {

constexpr std::size_t kStep = 32;  // numbers in a register

KNARR_VNNI inline __m512i widened(const std::byte* row) {
  return _mm512_maskz_cvtepi8_epi16(~__mmask32{0},
                                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
}

template <int R, int Q>
KNARR_VNNI inline void tile(const std::byte* const* rows, const std::byte* const* ahead,
                            const std::int16_t* const* queries, std::size_t numbers,
                            std::int32_t* out, std::size_t stride) {
  __m512i sums[R][Q];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) sums[r][q] = _mm512_setzero_si512();
  }
  for (std::size_t i = 0; i < numbers; i += kStep) {
    __m512i row[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      if (i % 64 == 0) _mm_prefetch(reinterpret_cast<const char*>(ahead[r] + i), _MM_HINT_T0);
      row[r] = widened(rows[r] + i);
    }
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      const __m512i query = _mm512_loadu_si512(queries[q] + i);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sums[r][q] = _mm512_dpwssd_epi32(sums[r][q], row[r], query);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      out[static_cast<std::size_t>(q) * stride + static_cast<std::size_t>(r)] = total(sums[r][q]);
    }
  }
}

// All rows, Q queries.
template <int Q>
KNARR_VNNI void band(const std::byte* const* rows, std::size_t n_rows,
                     const std::int16_t* const* queries, std::size_t numbers, std::int32_t* out,
                     std::size_t stride) {
  constexpr std::size_t kRows = Q == 1 ? 4 : 2;
  std::size_t r = 0;
  for (; r + kRows <= n_rows; r += kRows) {
    const std::byte* const* ahead = r + 2 * kRows <= n_rows ? rows + r + kRows : rows + r;
    tile<kRows, Q>(rows + r, ahead, queries, numbers, out + r, stride);
  }
  for (; r < n_rows; ++r) tile<1, Q>(rows + r, rows + r, queries, numbers, out + r, stride);
}

KNARR_VNNI void products(const std::byte* const* rows, std::size_t n_rows,
                         const std::int16_t* const* queries, std::size_t n_queries,
                         std::size_t numbers, std::int32_t* out, std::size_t stride) {
  for (; n_queries >= 4; n_queries -= 4, queries += 4, out += 4 * stride) {
    band<4>(rows, n_rows, queries, numbers, out, stride);
  }
  for (; n_queries >= 1; --n_queries, ++queries, out += stride) {
    band<1>(rows, n_rows, queries, numbers, out, stride);
  }
}

}  // namespace

const Int8Products kInt8Vnni = products;

}  // namespace knarr

#else

namespace knarr {
const Int8Products kInt8Vnni = nullptr;
}  // namespace knarr

#endif
