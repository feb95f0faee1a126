#include "vectors/rows/quantised_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "vectors/rows/whole_numbers.h"

namespace knarr {
namespace {

constexpr std::size_t kApart = 8;  // numbers that are spread side by side
constexpr std::size_t kSpreadTo = 16;
constexpr int kMiddle = 128;  // zero, of a query
constexpr float kMostQuery = 127;
constexpr float kMostPair = 127;      // 128, less what two numbers are rounded up by
constexpr float kSurplus = 1.001f;    // for what float32 loses of a length
constexpr float kLost = 1e-6f;        // for what spreading loses
constexpr float kMostSine = 0.5f;     // of α and of β, that a bound is worth having
constexpr float kLeastBound = -0.5f;  // so that all three angles are no more than half a circle
constexpr float kLeastSlope = 1e-3f;

// More than float32 can lose in a score of `dim` numbers of unit vectors, which the scan's kernels
// add in sixteen sums, in their lengths, and in a cosine.
float rounding(std::size_t dim) { return 5e-6f + 1.2e-7f * (20 + static_cast<float>(dim) / 16); }

// Of blocks of kApart numbers, each with each.
template <std::size_t Blocks>
void spread_blocks(float* x) {
  for (std::size_t part = 1; part < Blocks; part *= 2) {
    for (std::size_t i = 0; i < Blocks; i += 2 * part) {
      for (std::size_t j = i; j < i + part; ++j) {
        float* const a = x + j * kApart;
        float* const b = a + part * kApart;
        for (std::size_t lane = 0; lane < kApart; ++lane) {
          const float sum = a[lane] + b[lane];
          b[lane] = a[lane] - b[lane];
          a[lane] = sum;
        }
      }
    }
  }
  const float scale = Blocks == 16 ? 0.25f : Blocks == 4 ? 0.5f : std::sqrt(0.125f);
  for (std::size_t i = 0; i < Blocks * kApart; ++i) x[i] *= scale;
}

std::vector<float> spread_out(std::span<const float> vector, const QuantisedShape& shape) {
  std::vector<float> numbers(shape.numbers, 0.0f);
  std::copy(vector.begin(), vector.end(), numbers.begin());
  spread_apart(numbers);
  return numbers;
}

// The largest sum of the sizes of two neighbours.
float largest_pair(std::span<const float> numbers) {
  std::array<float, kWholeLanes> most{};
  for (std::size_t at = 0; at < numbers.size(); at += 2 * kWholeLanes) {
    for (std::size_t j = 0; j < kWholeLanes; ++j) {
      const float pair = std::abs(numbers[at + 2 * j]) + std::abs(numbers[at + 2 * j + 1]);
      most[j] = std::max(most[j], pair);
    }
  }
  return *std::max_element(most.begin(), most.end());
}

bool is_unit(std::span<const float> numbers) {
  std::array<float, kWholeLanes> sums{};
  for (std::size_t at = 0; at < numbers.size(); at += kWholeLanes) {
    for (std::size_t j = 0; j < kWholeLanes; ++j) sums[j] += numbers[at + j] * numbers[at + j];
  }
  const float length2 = std::accumulate(sums.begin(), sums.end(), 0.0f);
  return std::abs(length2 - 1) < 1e-5f;
}

}  // namespace

void spread_apart(std::span<float> numbers) {
  std::size_t at = 0;
  for (; at + 16 * kApart <= numbers.size(); at += 16 * kApart)
    spread_blocks<16>(numbers.data() + at);
  if (at + 8 * kApart <= numbers.size()) {
    spread_blocks<8>(numbers.data() + at);
    at += 8 * kApart;
  }
  if (at < numbers.size()) spread_blocks<4>(numbers.data() + at);
}

void quantise(std::span<const float> row, const QuantisedShape& shape, std::byte* out) {
  const std::vector<float> spread = spread_out(row, shape);
  auto* numbers = reinterpret_cast<std::int8_t*>(out);
  float scale = 0;
  float slack = kAnySlack;  // a row that is no unit vector is looked at
  std::int32_t centre = 0;
  if (is_unit(spread)) {
    const float step = largest_pair(spread) / kMostPair;
    const Rounded rounded = round_to(spread, step, 0, numbers);
    const float sine = std::sqrt(rounded.lost2) * kSurplus + kLost;
    const float cosine = std::sqrt(1 - std::min(1.0f, sine * sine));
    centre = kMiddle * std::accumulate(numbers, numbers + shape.numbers, std::int32_t{0});
    if (sine < kMostSine) {
      scale = 1 / (std::sqrt(rounded.length2) * cosine);
      slack = sine / cosine;
    }
  } else {
    std::fill_n(numbers, shape.numbers, std::int8_t{0});
  }
  std::memcpy(out + shape.numbers, &scale, sizeof(scale));
  std::memcpy(out + shape.numbers + sizeof(scale), &slack, sizeof(slack));
  std::memcpy(out + shape.numbers + sizeof(scale) + sizeof(slack), &centre, sizeof(centre));
}

QuantisedQuery::QuantisedQuery(std::span<const float> query, const QuantisedShape& shape)
    : numbers_(shape.numbers), rounding_(rounding(query.size())) {
  const std::vector<float> spread = spread_out(query, shape);
  const Rounded rounded = round_to(spread, largest(spread) / kMostQuery, kMiddle, numbers_.get());
  scale_ = 1 / std::sqrt(rounded.length2);
  sin_ = std::min(1.0f, std::sqrt(rounded.lost2) * kSurplus + kLost);
  cos_ = std::sqrt(1 - sin_ * sin_);
}

float QuantisedQuery::worst(float least) const {
  const float x = std::min(1.0f, least - rounding_);
  if (!(x > -cos_)) return -std::numeric_limits<float>::infinity();
  return x * cos_ - std::sqrt(1 - x * x) * sin_ - rounding_;  // cos(acos x + β)
}

float QuantisedQuery::best(float cosine, float slack) const {
  if (!(slack < 1)) return std::numeric_limits<float>::infinity();
  const float more = 1 + slack * slack;
  const float root = std::sqrt(std::max(0.0f, more - cosine * cosine));
  const float x = cosine < 1 ? (cosine + slack * root) / more : 1;  // cos(θ - α)
  if (x >= cos_) return 1 + rounding_;
  return x * cos_ + std::sqrt(1 - x * x) * sin_ + rounding_;  // cos(θ - α - β)
}

QuantisedBound QuantisedQuery::bound(float score) const {
  const float x = std::min(1.0f, score - rounding_);
  if (!(x > kLeastBound && sin_ < kMostSine)) return {-std::numeric_limits<float>::infinity(), 0};
  const float y = std::sqrt(1 - x * x);
  return {x * cos_ - y * sin_ - rounding_, std::max(kLeastSlope, y * cos_ + x * sin_)};
}

QuantisedCosines quantised_cosines(CpuLevel level) {
  if (level >= CpuLevel::kAvx512 && has_vnni()) return kQuantisedVnni;
  if (level >= CpuLevel::kAvx2) return kQuantisedAvx2;
  return kQuantisedNeon != nullptr ? kQuantisedNeon : kQuantisedPlain;
}

QuantisedCosines quantised_cosines() {
  static const QuantisedCosines best = quantised_cosines(cpu_level());
  return best;
}

}  // namespace knarr
