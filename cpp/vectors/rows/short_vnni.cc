// The AVX-512 VNNI variant: one instruction multiplies sixty-four numbers of a row with a query's
// bytes and adds them, in fours, to the sums. Two rows by four queries, or four by one. A query's
// bytes are 128 too large, and what that adds is taken off at the end: it is the row's centre.
#include "vectors/rows/quantised_rows.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <cstring>

#include "vectors/rows/vnni.h"

namespace knarr {
namespace {

constexpr std::size_t kStep = 64;  // numbers in a register

// The next numbers, of which there are 32 or 64.
KNARR_VNNI inline __m512i load(const void* at, __mmask64 some) {
  return _mm512_maskz_loadu_epi8(some, at);
}

inline float cosine(std::int32_t sum, const std::byte* row, std::size_t numbers, float scale) {
  const QuantisedShape shape(numbers);
  std::int32_t centre;
  std::memcpy(&centre, row + numbers + 2 * sizeof(float), sizeof(centre));
  return static_cast<float>(sum - centre) * (shape.scale(row) * scale);
}

template <int R, int Q>
KNARR_VNNI inline void tile(const std::byte* const* rows, const std::byte* const* ahead,
                            const QuantisedSide* queries, std::size_t numbers, float* out,
                            std::size_t stride) {
  __m512i sums[R][Q];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) sums[r][q] = _mm512_setzero_si512();
  }
  for (std::size_t i = 0; i < numbers; i += kStep) {
    const __mmask64 some = numbers - i < kStep ? 0xffff'ffffu : ~__mmask64{0};
    __m512i row[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      _mm_prefetch(reinterpret_cast<const char*>(ahead[r] + i), _MM_HINT_T0);
      row[r] = load(rows[r] + i, some);
    }
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      const __m512i query = load(queries[q].numbers + i, some);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sums[r][q] = _mm512_dpbusd_epi32(sums[r][q], query, row[r]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) {
      out[static_cast<std::size_t>(q) * stride + static_cast<std::size_t>(r)] =
          cosine(total(sums[r][q]), rows[r], numbers, queries[q].scale);
    }
  }
}

// All rows, Q queries.
template <int Q>
KNARR_VNNI void band(const std::byte* const* rows, std::size_t n_rows, const QuantisedSide* queries,
                     std::size_t numbers, float* out, std::size_t stride) {
  constexpr std::size_t kRows = Q == 1 ? 4 : 2;
  std::size_t r = 0;
  for (; r + kRows <= n_rows; r += kRows) {
    const std::byte* const* ahead = r + 2 * kRows <= n_rows ? rows + r + kRows : rows + r;
    tile<kRows, Q>(rows + r, ahead, queries, numbers, out + r, stride);
  }
  for (; r < n_rows; ++r) tile<1, Q>(rows + r, rows + r, queries, numbers, out + r, stride);
}

KNARR_VNNI void cosines(const std::byte* const* rows, std::size_t n_rows, const QuantisedSide* queries,
                        std::size_t n_queries, std::size_t numbers, float* out, std::size_t stride,
                        float* slacks) {
  for (; n_queries >= 4; n_queries -= 4, queries += 4, out += 4 * stride) {
    band<4>(rows, n_rows, queries, numbers, out, stride);
  }
  for (; n_queries >= 1; --n_queries, ++queries, out += stride) {
    band<1>(rows, n_rows, queries, numbers, out, stride);
  }
  const QuantisedShape shape(numbers);
  for (std::size_t r = 0; slacks != nullptr && r < n_rows; ++r) slacks[r] = shape.slack(rows[r]);
}

}  // namespace

const QuantisedCosines kQuantisedVnni = cosines;

}  // namespace knarr

#else

namespace knarr {
const QuantisedCosines kQuantisedVnni = nullptr;
}  // namespace knarr

#endif
