// The bound kernel, the inner loop of the code scan: an upper bound for the cosine of each row of
// some blocks.
//
// For row r of a block, with A the sum of its code's entries in the query's table (query_table.h):
//
//     upper = offset + offset_step · offsets[r] + factors[r] · (scale · A + shift)
//
// A is a sum of small integers, equal in every variant. The rest agrees within 1e-6 where a machine
// fuses multiplication and addition, else to the bit.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/cpu.h"
#include "vectors/codes/codes.h"

namespace knarr {

// The constants of a chunk and a query in the formula above.
struct BoundTerms {
  float offset;
  float offset_step;
  float scale;  // scale and shift are in steps of the chunk's factors
  float shift;
};

// The gate: a test in sixteen bits that a row passes whenever its upper bound reaches the floor. In
// most blocks no row passes it, and their bounds are never made.
//
// With f = 2^8 · factors[r], o = 2^8 · offsets[r], one unit = 2^8 · scale and
// mulhi(a, b) = ⌊a · b / 2^16⌋, a bound is at most
//
//     offset + unit · (mulhi(f, max(0, A + c)) + mulhi(o, s) + 2)
//
// where c = ⌈shift / scale⌉ and s = ⌈offset_step / scale⌉. So a row reaches the floor only when
//
//     mulhi(f, max(0, A + more - less)) + mulhi(o, offset_share) >= least
struct Gate {
  std::uint16_t more = 0;  // c, or
  std::uint16_t less = 0;  // -c
  std::uint16_t offset_share = 0;
  std::uint16_t least = 0;  // 0: every row passes

  Gate() = default;

  // Lets all rows pass where the numbers do not fit, or a unit is so small that the rounding of
  // floats counts.
  Gate(const BoundTerms& terms, float floor) {
    constexpr float kMost = 65535;
    if (floor == std::numeric_limits<float>::infinity()) {  // no row passes
      less = least = 65535;
      return;
    }
    constexpr float kMostShift = 32767;  // and A is at most as much
    constexpr float kLeastUnit = 1e-5f;
    constexpr float kRounding = 3;  // two of mulhi, and what floats lose
    const float unit = 256 * terms.scale;
    const float shift = std::ceil(terms.shift / terms.scale);
    const float share = std::ceil(terms.offset_step / terms.scale);
    const float reach = std::floor((floor - terms.offset) / unit) - kRounding;
    const bool fits = unit >= kLeastUnit && std::abs(shift) <= kMostShift && share >= 0 &&
                      share <= kMost && reach > 0 && reach <= kMost;
    if (!fits) return;
    more = static_cast<std::uint16_t>(shift > 0 ? shift : 0);
    less = static_cast<std::uint16_t>(shift < 0 ? -shift : 0);
    offset_share = static_cast<std::uint16_t>(share);
    least = static_cast<std::uint16_t>(reach);
  }
};

struct BoundKernel {
  // For n_blocks blocks of 32 rows that follow each other: bit r of passing[i] is whether the bound
  // of row 32 * i + r is at least the floor, and upper[32 * i + r] is that bound where any row of
  // the block passes; else it may be left as it was. `table` holds 32 entries for each code byte.
  // As many bytes from `next` on are prefetched, which is only a hint.
  void (*bounds)(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                 const std::uint8_t* factors, const std::uint8_t* offsets,
                 const std::uint8_t* table, const BoundTerms& terms, float floor,
                 const std::byte* next, float* upper, std::uint32_t* passing);

  // The same for n_queries queries, whose bounds follow each other: query q has its own tables[q],
  // terms[q] (with the steps of the same chunk) and floors[q], and gets upper[32 * n_blocks * q] on
  // and passing[n_blocks * q] on. Bounds are those that `bounds` gives, to the bit.
  void (*bounds_of_many)(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                         const std::uint8_t* factors, const std::uint8_t* offsets,
                         const std::uint8_t* const* tables, const BoundTerms* terms,
                         const float* floors, std::size_t n_queries, float* upper,
                         std::uint32_t* passing);
};

// bounds_of_many for variants that read one query after the other.
template <auto Bounds>
void bounds_one_by_one(const std::byte* blocks, std::size_t n_blocks, std::size_t code_bytes,
                       const std::uint8_t* factors, const std::uint8_t* offsets,
                       const std::uint8_t* const* tables, const BoundTerms* terms,
                       const float* floors, std::size_t n_queries, float* upper,
                       std::uint32_t* passing) {
  for (std::size_t q = 0; q < n_queries; ++q) {
    Bounds(blocks, n_blocks, code_bytes, factors, offsets, tables[q], terms[q], floors[q], blocks,
           upper, passing);
    upper += n_blocks * kBlockCodes;
    passing += n_blocks;
  }
}

// The variant for a level, or null when this build or this machine has none.
const BoundKernel* bound_kernel(CpuLevel level);

// The best variant for this machine.
const BoundKernel& bound_kernel();

// The variants; null where the compiler's target has no such instructions.
extern const BoundKernel* const kBoundPlain;
extern const BoundKernel* const kBoundAvx2;
extern const BoundKernel* const kBoundAvx512;  // needs AVX-512 BW beside F
extern const BoundKernel* const kBoundNeon;

}  // namespace knarr
