#include "edges/question.h"

#include <array>

namespace knarr {

double product(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += double{a[i + lane]} * b[i + lane];
    }
  }
  for (; i < a.size(); ++i) sums[i % kLanes] += double{a[i]} * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace knarr
