// The NEON variant: sixteen numbers of a row are loaded once for all queries of a few, multiplied
// with a query's, which become signed as they are loaded, and added to sums of 32 bits in pairs.
#include "vectors/rows/quantised_rows.h"

#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))

#include <arm_neon.h>

namespace knarr {
namespace {

// One row by Q queries.
template <int Q>
inline void tile(const std::byte* row, const QuantisedSide* queries, std::size_t numbers, float* out,
                 std::size_t stride) {
  int32x4_t low[Q], high[Q];
  for (int q = 0; q < Q; ++q) low[q] = high[q] = vdupq_n_s32(0);
  const uint8x16_t middle = vdupq_n_u8(128);
  const auto* at = reinterpret_cast<const std::int8_t*>(row);
  for (std::size_t i = 0; i < numbers; i += 16) {
    const int8x16_t some = vld1q_s8(at + i);
    for (int q = 0; q < Q; ++q) {
      const int8x16_t query =
          vreinterpretq_s8_u8(veorq_u8(vld1q_u8(queries[q].numbers + i), middle));
      low[q] = vpadalq_s16(low[q], vmull_s8(vget_low_s8(some), vget_low_s8(query)));
      high[q] = vpadalq_s16(high[q], vmull_high_s8(some, query));
    }
  }
  const float scale = QuantisedShape(numbers).scale(row);
  for (int q = 0; q < Q; ++q) {
    const std::int32_t product = vaddvq_s32(vaddq_s32(low[q], high[q]));
    out[static_cast<std::size_t>(q) * stride] =
        static_cast<float>(product) * (scale * queries[q].scale);
  }
}

void cosines(const std::byte* const* rows, std::size_t n_rows, const QuantisedSide* queries,
             std::size_t n_queries, std::size_t numbers, float* out, std::size_t stride,
             float* slacks) {
  for (; n_queries >= 4; n_queries -= 4, queries += 4, out += 4 * stride) {
    for (std::size_t r = 0; r < n_rows; ++r) tile<4>(rows[r], queries, numbers, out + r, stride);
  }
  for (; n_queries >= 1; --n_queries, ++queries, out += stride) {
    for (std::size_t r = 0; r < n_rows; ++r) tile<1>(rows[r], queries, numbers, out + r, stride);
  }
  const QuantisedShape shape(numbers);
  for (std::size_t r = 0; slacks != nullptr && r < n_rows; ++r) slacks[r] = shape.slack(rows[r]);
}

}  // namespace

const QuantisedCosines kQuantisedNeon = cosines;

}  // namespace knarr

#else

namespace knarr {
const QuantisedCosines kQuantisedNeon = nullptr;
}  // namespace knarr

#endif
