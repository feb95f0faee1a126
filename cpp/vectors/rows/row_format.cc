#include "vectors/rows/row_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>

namespace knarr {
namespace {

// Rounds to the nearest bfloat16, ties to an even last digit. Requires a finite number.
std::uint16_t to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float from_bfloat16(std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

// Sums side by side, which need not wait for each other.
float length2(const float* numbers, std::size_t dim) {
  std::array<float, 16> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= dim; i += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += numbers[i + j] * numbers[i + j];
  }
  for (std::size_t j = 0; i < dim; ++i, ++j) sums[j] += numbers[i] * numbers[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}

const std::uint16_t* halves(const std::byte* row) {
  return reinterpret_cast<const std::uint16_t*>(row);
}

double halves_length2(const std::byte* row, std::size_t dim) {
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    const double number = from_bfloat16(halves(row)[i]);
    sum += number * number;
  }
  return sum;
}

float bfloat16_factor(const std::byte* row, std::size_t dim) {
  return *reinterpret_cast<const float*>(row + bfloat16_factor_at(dim));
}

void store_bfloat16(std::span<const float> unit, std::byte* out) {
  const std::size_t factor_at = bfloat16_factor_at(unit.size());
  std::memset(out + factor_at - sizeof(std::uint16_t), 0, sizeof(std::uint16_t));
  std::transform(unit.begin(), unit.end(), reinterpret_cast<std::uint16_t*>(out), to_bfloat16);
  const auto factor = static_cast<float>(1 / std::sqrt(halves_length2(out, unit.size())));
  std::memcpy(out + factor_at, &factor, sizeof(factor));
}

bool is_sound_bfloat16(const std::byte* row, std::size_t dim) {
  const float factor = bfloat16_factor(row, dim);
  const double length2 = double{factor} * factor * halves_length2(row, dim);
  return std::abs(length2 - 1) < 1e-3 && factor > 0 && (dim % 2 == 0 || halves(row)[dim] == 0);
}

}  // namespace

const char* name(Precision precision) {
  switch (precision) {
    case Precision::kBfloat16:
      return "bfloat16";
    case Precision::kInt8:
      return "int8";
    case Precision::kFloat32:
      break;
  }
  return "float32";
}

std::optional<Precision> precision_named(std::string_view word) {
  for (const Precision each : {Precision::kFloat32, Precision::kBfloat16, Precision::kInt8}) {
    if (word == name(each)) return each;
  }
  return std::nullopt;
}

RowFormat::RowFormat(Precision precision, std::size_t dim)
    : precision_(precision), dim_(dim), quantised_(dim) {
  row_bytes_ = precision == Precision::kInt8       ? quantised_.size_bytes
               : precision == Precision::kBfloat16 ? bfloat16_factor_at(dim) + sizeof(float)
                                                   : dim * sizeof(float);
}

void RowFormat::store(const float* unit, std::byte* out) const {
  switch (precision_) {
    case Precision::kFloat32:
      std::memcpy(out, unit, row_bytes_);
      return;
    case Precision::kBfloat16:
      store_bfloat16({unit, dim_}, out);
      return;
    case Precision::kInt8:
      quantise_to_store({unit, dim_}, quantised_, out);
  }
}

const float* RowFormat::floats(const std::byte* row, float* room) const {
  switch (precision_) {
    case Precision::kFloat32:
      return reinterpret_cast<const float*>(row);
    case Precision::kBfloat16: {
      const float factor = bfloat16_factor(row, dim_);
      std::transform(halves(row), halves(row) + dim_, room,
                     [factor](std::uint16_t x) { return factor * from_bfloat16(x); });
      break;
    }
    case Precision::kInt8:
      dequantise(row, quantised_, {room, dim_});
  }
  return room;
}

bool RowFormat::is_sound(const std::byte* row) const {
  if (precision_ == Precision::kInt8) return is_sound_stored(row, quantised_);
  if (precision_ == Precision::kBfloat16) return is_sound_bfloat16(row, dim_);
  return std::abs(length2(reinterpret_cast<const float*>(row), dim_) - 1) < 1e-3f;
}

}  // namespace knarr
