// The inner loop of the code scan: an upper bound for the cosine of each row of some blocks.
//
// For row r of a block, with A the sum of its code's entries in the query's table:
//
//     upper = offset + offset_step · offsets[r] + factors[r] · (scale · A + shift)
//
// A is a sum of small integers, equal in every variant; the rest agrees within 1e-6 where a machine
// fuses multiplication and addition, else to the bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "vectors/codes/codes.h"

namespace knarr {

// What a chunk and a query are to each other.
struct BoundTerms {
  float offset;
  float offset_step;
  float scale;  // this and shift: in steps of the chunk's factors
  float shift;
};

struct BoundKernel {
  // For n_blocks blocks of 32 rows that follow each other: bit r of passing[i] is whether the bound
  // of row 32 * i + r is at least the floor, and upper[32 * i + r] is that bound where any row of
  // the block passes; else it may be left as it was. `table` holds 32 entries for each code byte.
  // As many bytes are asked for from `next` on, which is only a hint.
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

// bounds_of_many for variants that take one query after the other.
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
