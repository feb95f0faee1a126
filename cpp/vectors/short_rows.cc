#include "vectors/short_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>

namespace knarr {
namespace {

constexpr float kMostRow = 127;
constexpr double kMostProduct = 2147483647.0;
constexpr std::size_t kLanes = 8;  // sums side by side
constexpr std::align_val_t kLine{64};

// More than float32 can lose in a score of `dim` numbers of unit vectors, which the scan's kernels
// add in sixteen sums.
float rounding(std::size_t dim) { return 1.2e-7f * (20 + static_cast<float>(dim) / 16); }

float largest(std::span<const float> vector) {
  std::array<float, kLanes> most{};
  for (std::size_t i = 0; i < vector.size(); ++i) {
    most[i % kLanes] = std::max(most[i % kLanes], std::abs(vector[i]));
  }
  return *std::max_element(most.begin(), most.end());
}

// Rounds n numbers; returns the squares of what is lost.
float round_to(const float* row, std::size_t n, float step, std::int8_t* out) {
  const float inverse = step > 0 ? 1 / step : 0;
  std::array<float, kLanes> lost{};
  for (std::size_t at = 0; at < n; at += kLanes) {
    std::array<float, kLanes> numbers;
    for (std::size_t j = 0; j < kLanes; ++j) {
      const float scaled = row[at + j] * inverse;  // from -127 to 127, up to rounding
      numbers[j] = static_cast<float>(static_cast<int>(scaled + std::copysign(0.5f, scaled)));
    }
    for (std::size_t j = 0; j < kLanes; ++j) {
      const float difference = row[at + j] - step * numbers[j];
      lost[j] += difference * difference;
    }
    for (std::size_t j = 0; j < kLanes; ++j) out[at + j] = static_cast<std::int8_t>(numbers[j]);
  }
  return std::accumulate(lost.begin(), lost.end(), 0.0f);
}

bool has_vnni() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

}  // namespace

void shorten(std::span<const float> row, const ShortShape& shape, std::byte* out) {
  auto* numbers = reinterpret_cast<std::int8_t*>(out);
  std::memset(numbers, 0, shape.numbers);
  float step = largest(row) / kMostRow;
  float slack = std::numeric_limits<float>::infinity();  // a row that is not finite is looked at
  const bool is_finite =
      std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); });
  if (is_finite) {
    const std::size_t whole = row.size() / kLanes * kLanes;
    std::array<float, kLanes> rest{};
    std::array<std::int8_t, kLanes> rest_numbers;
    std::copy(row.begin() + static_cast<std::ptrdiff_t>(whole), row.end(), rest.begin());
    float lost = round_to(row.data(), whole, step, numbers);
    lost += round_to(rest.data(), kLanes, step, rest_numbers.data());
    std::copy_n(rest_numbers.begin(), row.size() - whole, numbers + whole);
    slack = std::sqrt(lost) * 1.001f;
  } else {
    step = 0;
  }
  std::memcpy(out + shape.numbers, &step, sizeof(step));
  std::memcpy(out + shape.numbers + sizeof(step), &slack, sizeof(slack));
}

void ShortQuery::Free::operator()(std::int16_t* memory) const { ::operator delete(memory, kLine); }

ShortQuery::ShortQuery(std::span<const float> query, const ShortShape& shape)
    : numbers_(
          static_cast<std::int16_t*>(::operator new(shape.numbers * sizeof(std::int16_t), kLine))) {
  std::int16_t* const numbers = numbers_.get();
  std::fill_n(numbers, shape.numbers, std::int16_t{0});
  // As many steps as keep every sum of products within 32 bits.
  const double most =
      std::floor(std::min(32766.0, kMostProduct / (kMostRow * static_cast<double>(shape.numbers))));
  step_ = largest(query) / static_cast<float>(most);
  const float inverse = 1 / step_;
  std::array<float, kLanes> lost{}, length{};
  const auto round = [&](const float* from, std::int16_t* to) {  // kLanes numbers
    for (std::size_t j = 0; j < kLanes; ++j) {
      const float scaled = from[j] * inverse;
      const int number = static_cast<int>(scaled + std::copysign(0.5f, scaled));
      const float kept = step_ * static_cast<float>(number);
      to[j] = static_cast<std::int16_t>(number);
      lost[j] += (from[j] - kept) * (from[j] - kept);
      length[j] += kept * kept;
    }
  };
  const std::size_t whole = query.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) round(query.data() + i, numbers + i);
  if (whole < query.size()) {
    std::array<float, kLanes> rest{};
    std::copy(query.begin() + static_cast<std::ptrdiff_t>(whole), query.end(), rest.begin());
    round(rest.data(), numbers + whole);
  }
  length_ = std::sqrt(std::accumulate(length.begin(), length.end(), 0.0f)) * 1.001f;
  error_ =
      std::sqrt(std::accumulate(lost.begin(), lost.end(), 0.0f)) * 1.001f + rounding(query.size());
}

ShortProducts short_products(CpuLevel level) {
  if (level >= CpuLevel::kAvx512 && has_vnni()) return kShortVnni;
  if (level >= CpuLevel::kAvx2) return kShortAvx2;
  return kShortNeon != nullptr ? kShortNeon : kShortPlain;
}

ShortProducts short_products() {
  static const ShortProducts best = short_products(cpu_level());
  return best;
}

}  // namespace knarr
