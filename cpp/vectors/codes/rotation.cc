// Each round flips signs at random, takes the Hadamard transform of a stretch whose length is a
// power of two (the front and the back in turn, which overlap), and then mixes the two halves of
// the vector, so that no part stays apart from the others.
#include "vectors/codes/rotation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace knarr {
namespace {

constexpr std::size_t kRounds = 4;

// SplitMix64: a stream of well mixed numbers from a counter.
std::uint64_t mixed(std::uint64_t counter) {
  std::uint64_t x = (counter + 1) * 0x9E37'79B9'7F4A'7C15u;
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9u;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBu;
  return x ^ (x >> 31);
}

// The first two steps of a Hadamard transform, four numbers at a time.
void first_steps(float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 4) {
    const float a = x[i] + x[i + 1], b = x[i] - x[i + 1];
    const float c = x[i + 2] + x[i + 3], d = x[i + 2] - x[i + 3];
    x[i] = a + c;
    x[i + 1] = b + d;
    x[i + 2] = a - c;
    x[i + 3] = b - d;
  }
}

// Sums and differences of two stretches that do not overlap, in place.
void cross(float* __restrict a, float* __restrict b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float sum = a[i] + b[i];
    b[i] = a[i] - b[i];
    a[i] = sum;
  }
}

// Two steps at once, on four stretches of n numbers.
void cross_twice(float* __restrict a, float* __restrict b, float* __restrict c, float* __restrict d,
                 std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float ab = a[i] + b[i], a_b = a[i] - b[i], cd = c[i] + d[i], c_d = c[i] - d[i];
    a[i] = ab + cd;
    b[i] = a_b + c_d;
    c[i] = ab - cd;
    d[i] = a_b - c_d;
  }
}

// Unscaled; n is a power of two, 8 or more.
void hadamard(float* x, std::size_t n) {
  first_steps(x, n);
  std::size_t part = 4;
  for (; 4 * part <= n; part *= 4) {
    for (std::size_t i = 0; i < n; i += 4 * part) {
      cross_twice(x + i, x + i + part, x + i + 2 * part, x + i + 3 * part, part);
    }
  }
  if (part < n) cross(x, x + part, part);
}

}  // namespace

Rotation::Rotation(std::size_t dim, std::size_t whole)
    : size_((dim + whole - 1) / whole * whole), span_(std::bit_floor(size_)) {
  // Numbers outside the stretch are scaled in `apply`, so that all share one factor at the end.
  scale_ = static_cast<float>(std::pow(2.0 * static_cast<double>(span_), -0.5 * kRounds));
  flips_.resize(kRounds * size_);
  for (std::size_t i = 0; i < flips_.size(); ++i) flips_[i] = mixed(i) >> 63 != 0 ? -1.0f : 1.0f;
}

void Rotation::apply(std::span<const float> in, std::span<float> out) const {
  std::copy(in.begin(), in.end(), out.begin());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(in.size()), out.end(), 0.0f);
  const auto aside = static_cast<float>(std::sqrt(static_cast<double>(span_)));
  const float* flips = flips_.data();
  for (std::size_t round = 0; round < kRounds; ++round, flips += size_) {
    for (std::size_t i = 0; i < size_; ++i) out[i] *= flips[i];
    const std::size_t from = round % 2 == 0 ? 0 : size_ - span_;
    hadamard(out.data() + from, span_);
    for (std::size_t i = 0; i < from; ++i) out[i] *= aside;
    for (std::size_t i = from + span_; i < size_; ++i) out[i] *= aside;
    cross(out.data(), out.data() + size_ / 2, size_ / 2);
  }
  for (float& x : out) x *= scale_;
}

}  // namespace knarr
