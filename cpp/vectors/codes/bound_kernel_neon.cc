// The NEON variant: code byte i of sixteen rows to a register, entries by table look-up, and sums
// of sixteen bits by widening additions.
#include "vectors/codes/bound_kernel.h"

#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))

#include <arm_neon.h>

#include <algorithm>

namespace knarr {
namespace {

constexpr std::size_t kBytesAtOnce = 256;  // their entries sum up to less than 2^16

// Adds the entries of n bytes of code to the sums of 32 rows, four to a register.
inline void add_entries(const std::byte* block, std::size_t n, const std::uint8_t* table,
                        uint32x4_t* sums) {
  const uint8x16_t low_half = vdupq_n_u8(15);
  uint16x8_t wide[4] = {vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0)};
  const auto* codes = reinterpret_cast<const std::uint8_t*>(block);
  for (std::size_t i = 0; i < n; ++i, table += 32, codes += kBlockCodes) {
    const uint8x16_t low_table = vld1q_u8(table), high_table = vld1q_u8(table + 16);
    for (int half = 0; half < 2; ++half) {
      const uint8x16_t code = vld1q_u8(codes + 16 * half);
      const uint8x16_t both = vaddq_u8(vqtbl1q_u8(low_table, vandq_u8(code, low_half)),
                                       vqtbl1q_u8(high_table, vshrq_n_u8(code, 4)));
      wide[2 * half] = vaddw_u8(wide[2 * half], vget_low_u8(both));
      wide[2 * half + 1] = vaddw_u8(wide[2 * half + 1], vget_high_u8(both));
    }
  }
  for (int part = 0; part < 4; ++part) {
    sums[2 * part] = vaddw_u16(sums[2 * part], vget_low_u16(wide[part]));
    sums[2 * part + 1] = vaddw_u16(sums[2 * part + 1], vget_high_u16(wide[part]));
  }
}

struct Eight {
  float32x4_t part[2];
};

inline Eight numbers(const std::uint8_t* at) {
  const uint16x8_t wide = vmovl_u8(vld1_u8(at));
  return {vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide))),
          vcvtq_f32_u32(vmovl_u16(vget_high_u16(wide)))};
}

inline std::uint32_t finish(const uint32x4_t* sums, const std::uint8_t* factors,
                            const std::uint8_t* offsets, const BoundTerms& terms, float floor,
                            float* upper) {
  const uint32x4_t bits = {1, 2, 4, 8};
  std::uint32_t passing = 0;
  for (int part = 0; part < 8; ++part, upper += 4) {
    const Eight f = numbers(factors + 8 * (part / 2)), o = numbers(offsets + 8 * (part / 2));
    const float32x4_t inner =
        vaddq_f32(vmulq_n_f32(vcvtq_f32_u32(sums[part]), terms.scale), vdupq_n_f32(terms.shift));
    const float32x4_t offset =
        vaddq_f32(vmulq_n_f32(o.part[part % 2], terms.offset_step), vdupq_n_f32(terms.offset));
    const float32x4_t bound = vaddq_f32(vmulq_f32(f.part[part % 2], inner), offset);
    vst1q_f32(upper, bound);
    const uint32x4_t over = vcgeq_f32(bound, vdupq_n_f32(floor));
    passing |= vaddvq_u32(vandq_u32(over, bits)) << (4 * part);
  }
  return passing;
}

void bounds(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
            const std::uint8_t* factors, const std::uint8_t* offsets, const std::uint8_t* table,
            const BoundTerms& terms, float floor, const std::byte* /*next*/, float* upper,
            std::uint32_t* passing) {
  for (std::size_t i = 0; i < n_blocks; ++i, blocks += code_bytes * kBlockCodes) {
    uint32x4_t sums[8];
    for (auto& part : sums) part = vdupq_n_u32(0);
    for (std::size_t at = 0; at < code_bytes; at += kBytesAtOnce) {
      add_entries(blocks + at * kBlockCodes, std::min(kBytesAtOnce, code_bytes - at),
                  table + 32 * at, sums);
    }
    const std::size_t row = i * kBlockCodes;
    passing[i] = finish(sums, factors + row, offsets + row, terms, floor, upper + row);
  }
}

constexpr BoundKernel kKernel{bounds, bounds_one_by_one<bounds>};

}  // namespace

const BoundKernel* const kBoundNeon = &kKernel;

}  // namespace knarr

#else

namespace knarr {
const BoundKernel* const kBoundNeon = nullptr;
}  // namespace knarr

#endif
