// The twin without instruction sets: sums of whole numbers, which compilers widen by themselves.
#include "vectors/short_rows.h"

namespace knarr {
namespace {

void products(const std::byte* const* rows, std::size_t n, const std::int16_t* query,
              std::size_t numbers, std::int32_t* out) {
  for (std::size_t r = 0; r < n; ++r) {
    const auto* row = reinterpret_cast<const std::int8_t*>(rows[r]);
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < numbers; ++i) sum += std::int32_t{row[i]} * query[i];
    out[r] = sum;
  }
}

}  // namespace

const ShortProducts kShortPlain = products;

}  // namespace knarr
