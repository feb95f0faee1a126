// Factors and offsets are kept in 8 bits, in steps that follow from the chunk's largest ones. The
// error of that is a fiftieth of what the codes lose, and part of the error bound. The centre is
// rounded before anything is measured from it, so its rounding loses nothing.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "vectors/codes/codes.h"
#include "vectors/rows/row_format.h"

namespace knarr {
namespace {

constexpr float kMost8 = 255.0f;
constexpr std::uint32_t kSignBit = 0x8000'0000u;
constexpr unsigned kHalf = 16;  // bits

// Eight sums side by side, so that additions need not wait for each other.
struct Lanes {
  static constexpr std::size_t kCount = 8;
  std::array<float, kCount> sums{};

  double total() const { return std::accumulate(sums.begin(), sums.end(), 0.0); }
};

double inner(const float* a, const float* b, std::size_t n) {
  Lanes lanes;
  std::size_t i = 0;
  for (; i + Lanes::kCount <= n; i += Lanes::kCount) {
    for (std::size_t j = 0; j < Lanes::kCount; ++j) lanes.sums[j] += a[i + j] * b[i + j];
  }
  for (std::size_t j = 0; i < n; ++i, ++j) lanes.sums[j] += a[i] * b[i];
  return lanes.total();
}

// Rounds a finite number to bfloat16.
float rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t to_even = 0x7FFF + (bits >> kHalf & 1);
  return std::bit_cast<float>((bits + to_even) >> kHalf << kHalf);
}

// The mean of the rows, summed in double, then rounded. Rows that are not finite do not count.
std::vector<float> mean_of(std::span<const float* const> rows, std::size_t dim) {
  std::vector<double> sums(dim, 0.0);
  std::vector<float> mean(dim, 0.0f);
  std::size_t counted = 0;
  for (const float* row : rows) {
    if (!std::isfinite(inner(row, row, dim))) continue;
    for (std::size_t i = 0; i < dim; ++i) sums[i] += row[i];
    ++counted;
  }
  if (counted == 0) return mean;
  for (std::size_t i = 0; i < dim; ++i) {
    mean[i] = rounded(static_cast<float>(sums[i] / static_cast<double>(counted)));
  }
  return mean;
}

// What is kept of a row beside its code, before rounding. s is the vector that its code stands for.
struct RowTerms {
  double factor = 0;
  double with_centre = 0;  // (v - c) · c
  double along = 0;        // s · Rc
  double spread = 0;
  double reach = 0;  // s · R(v - c) / |v - c|
};

// Products of s with the coded numbers x, and with the rotated centre c.
struct Products {
  Lanes with_x;
  Lanes with_c;
};

// The code byte of eight numbers x: two words of signs.
unsigned signs(const float* x, const float* c, Products& out) {
  std::array<std::uint32_t, Lanes::kCount> down;  // the sign bit of each
  unsigned byte = 0;
  for (std::size_t j = 0; j < Lanes::kCount; ++j) {
    down[j] = std::bit_cast<std::uint32_t>(x[j]) & kSignBit;
  }
  for (std::size_t j = 0; j < Lanes::kCount; ++j) byte |= (~down[j] >> 31) << j;
  for (std::size_t j = 0; j < Lanes::kCount; ++j) {
    out.with_x.sums[j] += std::abs(x[j]);
    out.with_c.sums[j] += std::bit_cast<float>(std::bit_cast<std::uint32_t>(c[j]) ^ down[j]);
  }
  return byte;
}

// The word of eight numbers x in the cross-polytope. The index of each is written into its last
// three bits, so that one maximum finds both: numbers that differ in those bits only count as
// equal.
unsigned axis(const float* x, const float* c, std::size_t lane, Products& out) {
  constexpr std::uint32_t kPlaces = 7;
  std::uint32_t most = 0;
  for (std::uint32_t j = 0; j < Lanes::kCount; ++j) {
    const std::uint32_t size = std::bit_cast<std::uint32_t>(x[j]) & ~kSignBit;
    most = std::max(most, (size & ~kPlaces) | j);
  }
  const std::uint32_t at = most & kPlaces;
  const bool is_down = std::signbit(x[at]);
  out.with_x.sums[lane] += std::abs(x[at]);
  out.with_c.sums[lane] += is_down ? -c[at] : c[at];
  return at | (is_down ? 8u : 0u);
}

// Codes the rows of one chunk, one after the other.
class ChunkCoder {
 public:
  ChunkCoder(const Rotation& rotation, Codebook codebook, std::vector<float> centre)
      : rotation_(rotation),
        codebook_(codebook),
        centre_(std::move(centre)),
        residual_(centre_.size()),
        rotated_centre_(rotation.size()),
        rotated_(rotation.size()) {
    rotation.apply(centre_, rotated_centre_);
  }

  // code: byte i at code[i * kBlockCodes].
  RowTerms code(const float* row, std::byte* code) {
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] = row[i] - centre_[i];
    rotation_.apply(residual_, rotated_);
    const Products products = write(code);
    const double length2 = inner(rotated_.data(), rotated_.data(), rotated_.size());  // |v - c|²
    const double sum = products.with_x.total();  // s · R(v - c)
    const double with_centre = inner(residual_.data(), centre_.data(), residual_.size());
    if (!std::isfinite(length2) || !(sum > 0)) {
      return {0, std::isfinite(with_centre) ? with_centre : 0, 0, 0, 0};
    }
    const auto n = static_cast<double>(rotated_.size());
    const double s2 = codebook_ == Codebook::kSigns ? n : n / word_dims(codebook_);  // |s|²
    const double x2 = std::min(1.0, sum * sum / (length2 * s2));
    return {length2 / sum, with_centre, products.with_c.total(), std::sqrt((1 - x2) * s2 / (n - 1)),
            std::sqrt(x2 * s2)};
  }

  std::span<const float> centre() const { return centre_; }

 private:
  Products write(std::byte* code) const {
    const float* x = rotated_.data();
    const float* c = rotated_centre_.data();
    const float* const end = x + rotated_.size();
    Products products;
    if (codebook_ == Codebook::kSigns) {
      for (; x < end; x += 8, c += 8, code += kBlockCodes) {
        *code = static_cast<std::byte>(signs(x, c, products));
      }
    } else {
      for (std::size_t i = 0; x < end; x += 16, c += 16, i += 2, code += kBlockCodes) {
        const unsigned low = axis(x, c, i % Lanes::kCount, products);
        const unsigned high = axis(x + 8, c + 8, (i + 1) % Lanes::kCount, products);
        *code = static_cast<std::byte>(low | high << 4);
      }
    }
    return products;
  }

  const Rotation& rotation_;
  Codebook codebook_;
  std::vector<float> centre_;
  std::vector<float> residual_;
  std::vector<float> rotated_centre_;
  std::vector<float> rotated_;
};

std::uint8_t in_steps(double value, double step) {
  if (!(step > 0)) return 0;
  return static_cast<std::uint8_t>(std::clamp(std::round(value / step), 0.0, double{kMost8}));
}

}  // namespace

void Coder::code(std::span<const float* const> rows, std::byte* out) const {
  std::memset(out, 0, shape_.size_bytes);
  ChunkCoder coder(rotation_, shape_.codebook, mean_of(rows, shape_.dim));
  std::array<RowTerms, kChunkRows> kept;
  RowTerms most;
  for (std::size_t r = 0; r < kChunkRows; ++r) {
    std::byte* block = out + r / kBlockCodes * shape_.block_bytes;
    kept[r] = coder.code(rows[r], block + r % kBlockCodes);
    most.factor = std::max(most.factor, kept[r].factor);
    most.spread = std::max(most.spread, kept[r].spread);
    most.reach = std::max(most.reach, kept[r].reach);
  }
  ChunkTerms terms{};
  terms.factor_step = static_cast<float>(most.factor / kMost8);
  terms.spread = static_cast<float>(most.spread);
  // The error of a rounded factor is uniform within a step: a standard deviation of step / √12.
  terms.rounding = static_cast<float>(terms.factor_step / std::sqrt(12.0) * most.reach);
  auto* factors = reinterpret_cast<std::uint8_t*>(out + shape_.factors_at);
  auto* offsets = reinterpret_cast<std::uint8_t*>(out + shape_.offsets_at);
  std::array<double, kChunkRows> exact;  // offsets
  for (std::size_t r = 0; r < kChunkRows; ++r) {
    factors[r] = in_steps(kept[r].factor, terms.factor_step);
    exact[r] = kept[r].with_centre - factors[r] * double{terms.factor_step} * kept[r].along;
  }
  const auto [low, high] = std::minmax_element(exact.begin(), exact.end());
  terms.offset_low = static_cast<float>(*low);
  terms.offset_step = static_cast<float>((*high - *low) / kMost8);
  for (std::size_t r = 0; r < kChunkRows; ++r) {
    offsets[r] = in_steps(exact[r] - *low, terms.offset_step);
  }
  const std::span<const float> centre = coder.centre();
  terms.centre_length2 = static_cast<float>(inner(centre.data(), centre.data(), centre.size()));
  std::memcpy(out + shape_.terms_at, &terms, sizeof(terms));
  auto* halves = reinterpret_cast<std::uint16_t*>(out + shape_.centre_at);
  for (std::size_t i = 0; i < centre.size(); ++i) {
    halves[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(centre[i]) >> kHalf);
  }
  const float factor = 1;
  std::memcpy(out + shape_.centre_at + bfloat16_factor_at(shape_.dim), &factor, sizeof(factor));
}

}  // namespace knarr
