#include "vectors/codes/query_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace knarr {
namespace {

constexpr std::size_t kLetters = 16;

using Products = std::array<float, kLetters>;

// With the query's four numbers at x: those that are up less those that are down.
Products with_signs(const float* x) {
  Products products{-x[0] - x[1] - x[2] - x[3]};
  for (std::size_t i = 0, bit = 1; bit < kLetters; ++i, bit *= 2) {
    for (std::size_t letter = 0; letter < bit; ++letter) {
      products[bit + letter] = products[letter] + 2 * x[i];
    }
  }
  return products;
}

// With the query's eight numbers at x.
Products with_peaks(const float* x) {
  Products products;
  for (std::size_t i = 0; i < kLetters / 2; ++i) {
    products[i] = x[i];
    products[kLetters / 2 + i] = -x[i];
  }
  return products;
}

}  // namespace

// For each letter there is another that stands for the opposite: so products reach as far down as
// up, and the lowest is minus the largest.
QueryTable::QueryTable(const Coder& coder, const float* query) {
  const Letters letters = coder.shape().letters;
  const std::size_t numbers = letter_numbers(letters);
  std::vector<float> turned(coder.rotation().size());
  coder.rotation().apply({query, coder.shape().dim}, turned);
  std::vector<Products> products(turned.size() / numbers);
  std::vector<float> largest(products.size());
  float most = 0;
  float all = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const float* x = turned.data() + i * numbers;
    products[i] = letters == Letters::kSigns ? with_signs(x) : with_peaks(x);
    largest[i] = *std::max_element(products[i].begin(), products[i].end());
    most = std::max(most, largest[i]);
    all += largest[i];
  }
  const float step = 2 * most / static_cast<float>(kMostEntry);
  const float inverse = step > 0 ? 1 / step : 0;
  constexpr float kHalf = 0.5f;
  entries_.resize(products.size() * kLetters);
  std::uint8_t* out = entries_.data();
  for (std::size_t i = 0; i < products.size(); ++i) {
    std::array<int, kLetters> entries;
    for (std::size_t letter = 0; letter < kLetters; ++letter) {
      // From -0 to kMostEntry, up to rounding, which half an entry is far above.
      entries[letter] = static_cast<int>((products[i][letter] + largest[i]) * inverse + kHalf);
    }
    for (const int entry : entries) *out++ = static_cast<std::uint8_t>(entry);
  }
  scale_ = step;
  rounding_ = step * std::sqrt(static_cast<float>(products.size()) / 12);  // uniform by a step
  shift_ = -all;
}

}  // namespace knarr
