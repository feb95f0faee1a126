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
  for (std::size_t pattern = 1; pattern < kPatterns; ++pattern) {
    const std::size_t rest = pattern & (pattern - 1);
    const std::size_t low = pattern ^ rest;  // the lowest set bit
    sums[pattern] = sums[rest] + x[low == 1 ? 0 : low == 2 ? 1 : low == 4 ? 2 : 3];
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
      (turned[i] < 0 ? low : high) += turned[i];
      total += turned[i];
    }
    low_sum += low;
    widest = std::max(widest, high - low);
  }
  const float step = widest / static_cast<float>(kMostEntry);
  const float inverse = step > 0 ? 1 / step : 0;
  entries_.resize(turned.size() / kGroup * kPatterns);
  std::uint8_t* out = entries_.data();
  for (std::size_t g = 0; g < turned.size(); g += kGroup) {
    const std::array<float, kPatterns> sums = sums_of(turned.data() + g);
    const float low = *std::min_element(sums.begin(), sums.end());
    for (const float sum : sums) {
      const float entry = (sum - low) * inverse + 0.5f;
      *out++ = static_cast<std::uint8_t>(std::min(entry, static_cast<float>(kMostEntry)));
    }
  }
  scale_ = 2 * step;
  shift_ = static_cast<float>(2 * low_sum - total);
}

}  // namespace knarr
