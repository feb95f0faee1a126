// The NEON variant: eight numbers of a row are widened once for all queries of a few, multiplied
// with a query's and added to sums of 32 bits.
#include "vectors/rows/int8_rows.h"

#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))

#include <arm_neon.h>

namespace knarr {
namespace {

// One row by Q queries.
template <int Q>
inline void tile(const std::byte* row, const std::int16_t* const* queries, std::size_t numbers,
                 std::int32_t* out, std::size_t stride) {
  int32x4_t low[Q], high[Q];
  for (int q = 0; q < Q; ++q) low[q] = high[q] = vdupq_n_s32(0);
  const auto* at = reinterpret_cast<const std::int8_t*>(row);
  for (std::size_t i = 0; i < numbers; i += 8) {
    const int16x8_t wide = vmovl_s8(vld1_s8(at + i));
    for (int q = 0; q < Q; ++q) {
      const int16x8_t query = vld1q_s16(queries[q] + i);
      low[q] = vmlal_s16(low[q], vget_low_s16(wide), vget_low_s16(query));
      high[q] = vmlal_high_s16(high[q], wide, query);
    }
  }
  for (int q = 0; q < Q; ++q) {
    out[static_cast<std::size_t>(q) * stride] = vaddvq_s32(vaddq_s32(low[q], high[q]));
  }
}

void products(const std::byte* const* rows, std::size_t n_rows, const std::int16_t* const* queries,
              std::size_t n_queries, std::size_t numbers, std::int32_t* out, std::size_t stride) {
  for (; n_queries >= 4; n_queries -= 4, queries += 4, out += 4 * stride) {
    for (std::size_t r = 0; r < n_rows; ++r) tile<4>(rows[r], queries, numbers, out + r, stride);
  }
  for (; n_queries >= 1; --n_queries, ++queries, out += stride) {
    for (std::size_t r = 0; r < n_rows; ++r) tile<1>(rows[r], queries, numbers, out + r, stride);
  }
}

}  // namespace

const Int8Products kInt8Neon = products;

}  // namespace knarr

#else

namespace knarr {
const Int8Products kInt8Neon = nullptr;
}  // namespace knarr

#endif
