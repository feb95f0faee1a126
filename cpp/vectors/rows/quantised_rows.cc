// Rounding, and the arithmetic of the error bound. Loops run over a fixed number of sums side by
// side, so that additions need not wait for each other and every machine adds in the same order.
#include "vectors/rows/quantised_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace knarr {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kPiece = 32;  // rows and queries have a multiple of this
constexpr int kMiddle = 128;        // a query's byte for zero
constexpr int kMostPair = 128;      // by the pair rule
constexpr float kMostNumber = 127;
constexpr float kMostUnrounded = kMostPair - 1;  // of a pair: rounding adds half a step twice
constexpr float kSurplus = 1.001f;               // for what float32 loses of a length
constexpr float kLost = 1e-6f;                   // for what the rotation loses
constexpr float kMostSine = 0.5f;                // of α and of β: a bound beyond is worth nothing
constexpr float kLeastBound = -0.5f;  // so that all three angles are no more than half a circle
constexpr float kLeastSlope = 1e-3f;

// More than float32 can lose in a score of `dim` numbers of unit vectors, which the score kernels
// add in sixteen sums, in their lengths, and in a cosine.
float rounding(std::size_t dim) { return 5e-6f + 1.2e-7f * (20 + static_cast<float>(dim) / 16); }

// A block is 16 groups of 8 numbers. The transform mixes number i of all groups, so its inner loop
// runs over 8 numbers side by side, which compilers turn into vector instructions. What 128 does
// not divide ends with blocks of 8 groups and of 4.
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

std::vector<float> rotated(std::span<const float> vector, const QuantisedShape& shape) {
  std::vector<float> numbers(shape.numbers, 0.0f);
  std::copy(vector.begin(), vector.end(), numbers.begin());
  hadamard_rotate(numbers);
  return numbers;
}

// The largest size of a number.
float largest(std::span<const float> numbers) {
  std::array<float, kLanes> most{};
  for (std::size_t at = 0; at < numbers.size(); at += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) most[j] = std::max(most[j], std::abs(numbers[at + j]));
  }
  return *std::max_element(most.begin(), most.end());
}

// The largest sum of the sizes of two neighbours.
float largest_pair(std::span<const float> numbers) {
  std::array<float, kLanes> most{};
  for (std::size_t at = 0; at < numbers.size(); at += 2 * kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      const float pair = std::abs(numbers[at + 2 * j]) + std::abs(numbers[at + 2 * j + 1]);
      most[j] = std::max(most[j], pair);
    }
  }
  return *std::max_element(most.begin(), most.end());
}

bool is_unit(std::span<const float> numbers) {
  std::array<float, kLanes> sums{};
  for (std::size_t at = 0; at < numbers.size(); at += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) sums[j] += numbers[at + j] * numbers[at + j];
  }
  const float length2 = std::accumulate(sums.begin(), sums.end(), 0.0f);
  return std::abs(length2 - 1) < 1e-5f;
}

// What rounding does to a vector.
struct Rounded {
  float lost2 = 0;    // squared length of what is lost
  float length2 = 0;  // squared length of the whole numbers
};

// out[i] = middle + the whole number nearest to numbers[i] / step. Requires numbers that are all
// zero where the step is, and whole numbers that fit.
template <class Whole>
Rounded round_to(std::span<const float> numbers, float step, int middle, Whole* out) {
  const float inverse = step > 0 ? 1 / step : 0;
  std::array<float, kPiece> lost{}, length{};
  for (std::size_t at = 0; at < numbers.size(); at += kPiece) {
    const float* const piece = numbers.data() + at;
    std::array<float, kPiece> whole;
    for (std::size_t i = 0; i < kPiece; ++i) {
      const float scaled = piece[i] * inverse;
      whole[i] = static_cast<float>(static_cast<int>(scaled + std::copysign(0.5f, scaled)));
    }
    for (std::size_t i = 0; i < kPiece; ++i) {
      const float difference = piece[i] - step * whole[i];
      lost[i] += difference * difference;
      length[i] += whole[i] * whole[i];
    }
    for (std::size_t i = 0; i < kPiece; ++i) {
      out[at + i] = static_cast<Whole>(static_cast<int>(whole[i]) + middle);
    }
  }
  return {std::accumulate(lost.begin(), lost.end(), 0.0f),
          std::accumulate(length.begin(), length.end(), 0.0f)};
}

Rounded round_row(std::span<const float> rotated, std::int8_t* out) {
  return round_to(rotated, largest_pair(rotated) / kMostUnrounded, 0, out);
}

// What a row's whole numbers add up to.
struct RowSums {
  std::int32_t numbers = 0;
  std::uint32_t squares = 0;  // at most 127² · 65,536, which 32 bits hold
  int largest_pair = 0;
  int least = 0;
};

RowSums sums(const std::int8_t* row, std::size_t n) {
  RowSums out;
  for (std::size_t i = 0; i < n; i += 2) {
    const int a = row[i];      // NOLINT(bugprone-signed-char-misuse): a number, no character
    const int b = row[i + 1];  // NOLINT(bugprone-signed-char-misuse)
    out.numbers += a + b;
    out.squares += static_cast<std::uint32_t>(a * a + b * b);
    out.largest_pair = std::max(out.largest_pair, std::abs(a) + std::abs(b));
    out.least = std::min(out.least, std::min(a, b));
  }
  return out;
}

void put_terms(float scale, float slack, std::int32_t sum, std::byte* out) {
  const std::int32_t centre = kMiddle * sum;
  std::memcpy(out, &scale, sizeof(scale));
  std::memcpy(out + sizeof(scale), &slack, sizeof(slack));
  std::memcpy(out + sizeof(scale) + sizeof(slack), &centre, sizeof(centre));
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

void quantise(std::span<const float> row, const QuantisedShape& shape, std::byte* out) {
  const std::vector<float> numbers = rotated(row, shape);
  auto* whole = reinterpret_cast<std::int8_t*>(out);
  if (!is_unit(numbers)) {
    std::fill_n(whole, shape.numbers, std::int8_t{0});
    return put_terms(0, kUnboundedSlack, 0, out + shape.numbers);
  }
  const Rounded rounded = round_row(numbers, whole);
  const std::int32_t sum = std::accumulate(whole, whole + shape.numbers, std::int32_t{0});
  const float sine = std::sqrt(rounded.lost2) * kSurplus + kLost;
  const float cosine = std::sqrt(1 - std::min(1.0f, sine * sine));
  if (sine < kMostSine) {
    const float scale = 1 / (std::sqrt(rounded.length2) * cosine);
    put_terms(scale, sine / cosine, sum, out + shape.numbers);
  } else {
    put_terms(0, kUnboundedSlack, sum, out + shape.numbers);
  }
}

void quantise_to_store(std::span<const float> unit, const QuantisedShape& shape, std::byte* out) {
  auto* whole = reinterpret_cast<std::int8_t*>(out);
  round_row(rotated(unit, shape), whole);
  const RowSums all = sums(whole, shape.numbers);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(all.squares)));
  put_terms(scale, 0, all.numbers, out + shape.numbers);
}

void dequantise(const std::byte* row, const QuantisedShape& shape, std::span<float> out) {
  const auto* whole = reinterpret_cast<const std::int8_t*>(row);
  const float scale = shape.scale(row);
  std::vector<float> numbers(shape.numbers);
  std::transform(whole, whole + shape.numbers, numbers.begin(),
                 [scale](std::int8_t x) { return scale * static_cast<float>(x); });
  hadamard_rotate(numbers);
  std::copy_n(numbers.begin(), out.size(), out.begin());
}

bool is_sound_stored(const std::byte* row, const QuantisedShape& shape) {
  const RowSums all = sums(reinterpret_cast<const std::int8_t*>(row), shape.numbers);
  const float scale = shape.scale(row);
  return std::abs(double{scale} * scale * all.squares - 1) < 1e-3 && scale > 0 &&
         shape.slack(row) == 0 && shape.centre(row) == kMiddle * all.numbers &&
         all.largest_pair <= kMostPair && all.least >= -kMostNumber;
}

QuantisedQuery::QuantisedQuery(std::span<const float> query, const QuantisedShape& shape)
    : numbers_(shape.numbers), rounding_(rounding(query.size())) {
  const std::vector<float> numbers = rotated(query, shape);
  const Rounded rounded =
      round_to(numbers, largest(numbers) / kMostNumber, kMiddle, numbers_.get());
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

// A row can reach a score s if θ - α <= φ, with φ = acos s + β. All angles are at most half a
// circle here, so that says cos θ >= cos(φ + α) = cos φ cos α - sin φ sin α, or, divided by cos α,
// c + sin φ tan α >= cos φ.
QuantisedBound QuantisedQuery::bound(float score) const {
  const float x = std::min(1.0f, score - rounding_);
  if (!(x > kLeastBound && sin_ < kMostSine)) return {-std::numeric_limits<float>::infinity(), 0};
  const float y = std::sqrt(1 - x * x);
  return {x * cos_ - y * sin_ - rounding_, std::max(kLeastSlope, y * cos_ + x * sin_)};
}

SplitQuery split_query(std::span<const float> query, const QuantisedShape& shape,
                       std::uint8_t* coarse, std::uint8_t* fine) {
  std::vector<float> numbers = rotated(query, shape);
  const float step = largest(numbers) / kMostNumber;
  round_to(numbers, step, kMiddle, coarse);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] -= step * static_cast<float>(int{coarse[i]} - kMiddle);
  }
  const float fine_step = largest(numbers) / kMostNumber;
  round_to(numbers, fine_step, kMiddle, fine);
  return {{coarse, step}, {fine, fine_step}};
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
