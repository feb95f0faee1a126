#include "vectors/rows/hadamard.h"

namespace knarr {

void spread(std::span<float> numbers) {
  constexpr float kQuarter = 0.25f;  // one over the square root of sixteen
  for (std::size_t at = 0; at < numbers.size(); at += kSpread) {
    float* x = numbers.data() + at;
    for (std::size_t part = 1; part < kSpread; part *= 2) {
      for (std::size_t i = 0; i < kSpread; i += 2 * part) {
        for (std::size_t j = i; j < i + part; ++j) {
          const float sum = x[j] + x[j + part];
          x[j + part] = x[j] - x[j + part];
          x[j] = sum;
        }
      }
    }
    for (std::size_t i = 0; i < kSpread; ++i) x[i] *= kQuarter;
  }
}

}  // namespace knarr
