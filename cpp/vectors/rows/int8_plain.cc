// The variant without instruction sets: sums of whole numbers, which compilers widen by themselves.
#include "vectors/rows/int8_rows.h"

namespace knarr {
namespace {

void products(const std::byte* const* rows, std::size_t n_rows, const std::int16_t* const* queries,
              std::size_t n_queries, std::size_t numbers, std::int32_t* out, std::size_t stride) {
  for (std::size_t r = 0; r < n_rows; ++r) {
    const auto* row = reinterpret_cast<const std::int8_t*>(rows[r]);
    for (std::size_t q = 0; q < n_queries; ++q) {
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < numbers; ++i) sum += std::int32_t{row[i]} * queries[q][i];
      out[q * stride + r] = sum;
    }
  }
}

}  // namespace

const Int8Products kInt8Plain = products;

}  // namespace knarr
