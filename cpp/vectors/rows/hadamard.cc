// A block is 16 groups of 8 numbers. The transform mixes number i of all groups, so its inner loop
// runs over 8 numbers side by side, which compilers turn into vector instructions. What 128 does
// not divide ends with blocks of 8 groups and of 4.
#include "vectors/rows/hadamard.h"

#include <cmath>
#include <cstddef>

namespace knarr {
namespace {

constexpr std::size_t kGroup = 8;

template <std::size_t Groups>
void rotate_block(float* x) {
  for (std::size_t part = 1; part < Groups; part *= 2) {
    for (std::size_t i = 0; i < Groups; i += 2 * part) {
      for (std::size_t j = i; j < i + part; ++j) {
        float* const a = x + j * kGroup;
        float* const b = a + part * kGroup;
        for (std::size_t lane = 0; lane < kGroup; ++lane) {
          const float sum = a[lane] + b[lane];
          b[lane] = a[lane] - b[lane];
          a[lane] = sum;
        }
      }
    }
  }
  // One over the square root of Groups.
  const float scale = Groups == 16 ? 0.25f : Groups == 4 ? 0.5f : std::sqrt(0.125f);
  for (std::size_t i = 0; i < Groups * kGroup; ++i) x[i] *= scale;
}

}  // namespace

void hadamard_rotate(std::span<float> numbers) {
  std::size_t at = 0;
  for (; at + 16 * kGroup <= numbers.size(); at += 16 * kGroup) {
    rotate_block<16>(numbers.data() + at);
  }
  if (at + 8 * kGroup <= numbers.size()) {
    rotate_block<8>(numbers.data() + at);
    at += 8 * kGroup;
  }
  if (at < numbers.size()) rotate_block<4>(numbers.data() + at);
}

}  // namespace knarr
