// The variant without instruction sets: the meaning of the others.
#include <array>

#include "vectors/codes/codes.h"
#include "vectors/codes/estimate.h"

namespace knarr {
namespace {

void bounds(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
            const std::uint8_t* factors, const std::uint8_t* offsets, const std::uint8_t* table,
            const BoundTerms& terms, float floor, const std::byte* /*next*/, float* upper,
            std::uint32_t* passing) {
  for (std::size_t block = 0; block < n_blocks; ++block) {
    std::array<std::uint32_t, kBlockCodes> sums{};
    for (std::size_t i = 0; i < code_bytes; ++i, blocks += kBlockCodes) {
      const std::uint8_t* entries = table + 32 * i;
      for (std::size_t r = 0; r < kBlockCodes; ++r) {
        const auto code = std::to_integer<unsigned>(blocks[r]);
        sums[r] += unsigned{entries[code & 15]} + entries[16 + (code >> 4)];
      }
    }
    passing[block] = 0;
    for (std::size_t r = 0; r < kBlockCodes; ++r, ++factors, ++offsets, ++upper) {
      const float inner = static_cast<float>(sums[r]) * terms.scale + terms.shift;
      const float offset = static_cast<float>(*offsets) * terms.offset_step + terms.offset;
      *upper = static_cast<float>(*factors) * inner + offset;
      passing[block] |= std::uint32_t{*upper >= floor} << r;
    }
  }
}

constexpr BoundKernel kKernel{bounds, bounds_one_by_one<bounds>};

}  // namespace

const BoundKernel* const kBoundPlain = &kKernel;

}  // namespace knarr
