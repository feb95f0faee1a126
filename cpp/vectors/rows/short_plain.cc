// The variant without instruction sets: sums of products of 16 bits, for which compilers know
// instructions. A query's bytes are 128 too large, and what that adds is taken off at the end: it
// is the row's centre.
#include <cstring>

#include "vectors/rows/quantised_rows.h"

namespace knarr {
namespace {

void cosines(const std::byte* const* rows, std::size_t n_rows, const QuantisedSide* queries,
             std::size_t n_queries, std::size_t numbers, float* out, std::size_t stride,
             float* slacks) {
  const QuantisedShape shape(numbers);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const auto* row = reinterpret_cast<const std::int8_t*>(rows[r]);
    std::int32_t centre;
    std::memcpy(&centre, rows[r] + numbers + 2 * sizeof(float), sizeof(centre));
    for (std::size_t q = 0; q < n_queries; ++q) {
      const std::uint8_t* query = queries[q].numbers;
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < numbers; ++i) {
        sum += std::int16_t{row[i]} * std::int16_t{query[i]};
      }
      out[q * stride + r] =
          static_cast<float>(sum - centre) * (shape.scale(rows[r]) * queries[q].scale);
    }
    if (slacks != nullptr) slacks[r] = shape.slack(rows[r]);
  }
}

}  // namespace

const QuantisedCosines kQuantisedPlain = cosines;

}  // namespace knarr
