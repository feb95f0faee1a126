// The plain variant, which defines what the others compute, and the choice among variants.
#include "vectors/codes/bound_kernel.h"

#include <array>

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

// The AVX-512 variant needs BW beside F.
bool has_avx512bw() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  return __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

}  // namespace

const BoundKernel* const kBoundPlain = &kKernel;

const BoundKernel* bound_kernel(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAvx512:
      return has_avx512bw() ? kBoundAvx512 : kBoundAvx2;
    case CpuLevel::kAvx2:
      return kBoundAvx2;
    case CpuLevel::kPlain:
      break;
  }
  return kBoundNeon != nullptr ? kBoundNeon : kBoundPlain;
}

const BoundKernel& bound_kernel() {
  static const BoundKernel* const best = bound_kernel(cpu_level());
  return *best;
}

}  // namespace knarr
