#include "vectors/query_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace knarr {
namespace {

constexpr std::size_t kGroup = 4;
constexpr std::size_t kPatterns = 16;

// The sum of the numbers whose bit is set, for each pattern of bits.
std::array<float, kPatterns> sums_of(const float* x) {
  std::array<float, kPatterns> sums{};
  for (std::size_t i = 0, bit = 1; i < kGroup; ++i, bit *= 2) {
    for (std::size_t pattern = 0; pattern < bit; ++pattern)
      sums[bit + pattern] = sums[pattern] + x[i];
  }
  return sums;
}

}  // namespace

QueryTable::QueryTable(const Rotation& rotation, const float* query, std::size_t dim) {
  std::vector<float> turned(rotation.size());
  rotation.apply({query, dim}, turned);
  // Every sign up minus every sign down: an entry counts the dimensions that are up.
  double low_sum = 0, total = 0;
  float widest = 0;
  for (std::size_t g = 0; g < turned.size(); g += kGroup) {
    float low = 0, high = 0;
    for (std::size_t i = g; i < g + kGroup; ++i) {
      low += std::min(turned[i], 0.0f);
      high += std::max(turned[i], 0.0f);
    }
    low_sum += low;
    total += low + high;
    widest = std::max(widest, high - low);
  }
  const float step = widest / static_cast<float>(kMostEntry);
  const float inverse = step > 0 ? 1 / step : 0;
  constexpr float kHalf = 0.5f;
  entries_.resize(turned.size() / kGroup * kPatterns);
  std::uint8_t* out = entries_.data();
  for (std::size_t g = 0; g < turned.size(); g += kGroup) {
    const std::array<float, kPatterns> sums = sums_of(turned.data() + g);
    float low = 0;
    for (std::size_t i = g; i < g + kGroup; ++i) low += std::min(turned[i], 0.0f);
    std::array<int, kPatterns> entries;
    for (std::size_t i = 0; i < kPatterns; ++i) {
      // From -0 to kMostEntry, up to rounding, which half an entry is far above.
      entries[i] = static_cast<int>((sums[i] - low) * inverse + kHalf);
    }
    for (const int entry : entries) *out++ = static_cast<std::uint8_t>(entry);
  }
  scale_ = 2 * step;
  shift_ = static_cast<float>(2 * low_sum - total);
}

}  // namespace knarr
