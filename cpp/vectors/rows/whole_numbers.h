// Vectors in whole numbers: the steps that all such rows and queries share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

namespace knarr {

inline constexpr std::size_t kWholeLanes = 8;   // numbers side by side, which need not wait
inline constexpr std::size_t kWholePiece = 32;  // rows and queries have a multiple of this

// The largest size of a number. Requires a multiple of kWholeLanes numbers.
inline float largest(std::span<const float> numbers) {
  std::array<float, kWholeLanes> most{};
  for (std::size_t at = 0; at < numbers.size(); at += kWholeLanes) {
    for (std::size_t j = 0; j < kWholeLanes; ++j) {
      most[j] = std::max(most[j], std::abs(numbers[at + j]));
    }
  }
  return *std::max_element(most.begin(), most.end());
}

// What rounding does to a vector.
struct Rounded {
  float lost2 = 0;    // the square of the length of what is lost
  float length2 = 0;  // of the whole numbers
};

// out[i] = middle + the whole number nearest to numbers[i] / step. Requires a multiple of
// kWholePiece numbers whose whole numbers fit, and which are zero where the step is.
template <class Whole>
Rounded round_to(std::span<const float> numbers, float step, int middle, Whole* out) {
  const float inverse = step > 0 ? 1 / step : 0;
  std::array<float, kWholePiece> lost{}, length{};
  for (std::size_t at = 0; at < numbers.size(); at += kWholePiece) {
    const float* const piece = numbers.data() + at;
    std::array<float, kWholePiece> whole;
    for (std::size_t i = 0; i < kWholePiece; ++i) {
      const float scaled = piece[i] * inverse;
      whole[i] = static_cast<float>(static_cast<int>(scaled + std::copysign(0.5f, scaled)));
    }
    for (std::size_t i = 0; i < kWholePiece; ++i) {
      const float difference = piece[i] - step * whole[i];
      lost[i] += difference * difference;
      length[i] += whole[i] * whole[i];
    }
    for (std::size_t i = 0; i < kWholePiece; ++i) {
      out[at + i] = static_cast<Whole>(static_cast<int>(whole[i]) + middle);
    }
  }
  return {std::accumulate(lost.begin(), lost.end(), 0.0f),
          std::accumulate(length.begin(), length.end(), 0.0f)};
}

}  // namespace knarr
