#include "vectors/codes/query_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace knarr {
namespace {

constexpr std::size_t kWords = 16;

using Products = std::array<float, kWords>;

// The products of the query's four numbers at x with every pattern of signs.
Products with_signs(const float* x) {
  Products products{-x[0] - x[1] - x[2] - x[3]};
  for (std::size_t i = 0, bit = 1; bit < kWords; ++i, bit *= 2) {
    for (std::size_t word = 0; word < bit; ++word) {
      products[bit + word] = products[word] + 2 * x[i];
    }
  }
  return products;
}

// The products of the query's eight numbers at x with every signed axis.
Products with_axes(const float* x) {
  Products products;
  for (std::size_t i = 0; i < kWords / 2; ++i) {
    products[i] = x[i];
    products[kWords / 2 + i] = -x[i];
  }
  return products;
}

}  // namespace

// A codebook holds the opposite of each of its words, so the lowest product is minus the largest.
QueryTable::QueryTable(const Coder& coder, const float* query) {
  const Codebook codebook = coder.shape().codebook;
  const std::size_t dims = word_dims(codebook);
  std::vector<float> rotated(coder.rotation().size());
  coder.rotation().apply({query, coder.shape().dim}, rotated);
  std::vector<Products> products(rotated.size() / dims);
  std::vector<float> largest(products.size());
  float most = 0;
  float all = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const float* x = rotated.data() + i * dims;
    products[i] = codebook == Codebook::kSigns ? with_signs(x) : with_axes(x);
    largest[i] = *std::max_element(products[i].begin(), products[i].end());
    most = std::max(most, largest[i]);
    all += largest[i];
  }
  const float step = 2 * most / static_cast<float>(kMostEntry);
  const float inverse = step > 0 ? 1 / step : 0;
  constexpr float kHalf = 0.5f;
  entries_.resize(products.size() * kWords);
  std::uint8_t* out = entries_.data();
  for (std::size_t i = 0; i < products.size(); ++i) {
    std::array<int, kWords> entries;
    for (std::size_t word = 0; word < kWords; ++word) {
      // From -0 to kMostEntry, up to rounding, which half an entry is far above.
      entries[word] = static_cast<int>((products[i][word] + largest[i]) * inverse + kHalf);
    }
    for (const int entry : entries) *out++ = static_cast<std::uint8_t>(entry);
  }
  scale_ = step;
  rounding_ = step * std::sqrt(static_cast<float>(products.size()) / 12);  // uniform by a step
  shift_ = -all;
}

}  // namespace knarr
