// For tests of vectors: matrices of random rows, and stores of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "vectors/store.h"

namespace knarr {

inline constexpr auto by_row = [](Row a, Row b) { return a < b; };

using Matrix = std::vector<float>;  // row by row

// (n, dim), normally distributed.
inline Matrix normal(std::size_t n, std::size_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> number;
  Matrix out(n * dim);
  for (float& x : out) x = number(random);
  return out;
}

inline VectorStore store_of(const Matrix& values, std::size_t dim,
                            Precision precision = Precision::kFloat32) {
  VectorStore store(dim, precision);
  store.append(values, values.size() / dim);
  return store;
}

// The vectors that rows stand for.
inline Matrix stored(const VectorView& view) {
  Matrix out(view.size() * view.dim());
  for (Row row = 0; row < view.size(); ++row) {
    float* at = out.data() + row * view.dim();
    const float* vector = view.format().floats(view.data(row), at);
    if (vector != at) std::copy_n(vector, view.dim(), at);
  }
  return out;
}

inline double inner(const float* a, const float* b, std::size_t dim) {
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) sum += double{a[i]} * b[i];
  return sum;
}

}  // namespace knarr
