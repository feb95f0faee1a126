// The variant without instruction sets: the meaning of the others, and the path of every machine
// that has none of them. The sixteen sums are an array that compilers turn into vector registers.
#include <array>
#include <bit>
#include <cstdint>

#include "vectors/rows/row_format.h"
#include "vectors/rows/score_kernel.h"

namespace knarr {
namespace {

constexpr std::size_t kLanes = 16;

float total(const std::array<float, kLanes>& s) {
  std::array<float, 8> eight;
  for (std::size_t i = 0; i < 8; ++i) eight[i] = s[i] + s[i + 8];
  std::array<float, 4> four;
  for (std::size_t i = 0; i < 4; ++i) four[i] = eight[i] + eight[i + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// Rows of a precision: how long one is, number i of it, and the product that a sum stands for.
struct PlainFloat32 {
  static std::size_t row_bytes(std::size_t dim) { return dim * sizeof(float); }
  static float at(const std::byte* row, std::size_t i) {
    return reinterpret_cast<const float*>(row)[i];
  }
  static float product(float sum, const std::byte*, std::size_t) { return sum; }
};

struct PlainBfloat16 {
  static std::size_t row_bytes(std::size_t dim) { return bfloat16_factor_at(dim) + sizeof(float); }
  static float at(const std::byte* row, std::size_t i) {
    return std::bit_cast<float>(std::uint32_t{reinterpret_cast<const std::uint16_t*>(row)[i]}
                                << 16);
  }
  static float product(float sum, const std::byte* row, std::size_t dim) {
    return sum * *reinterpret_cast<const float*>(row + bfloat16_factor_at(dim));
  }
};

template <class Rows>
float dot(const std::byte* row, const float* query, std::size_t dim) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += Rows::at(row, i + lane) * query[i + lane];
    }
  }
  for (std::size_t lane = 0; i < dim; ++i, ++lane) sums[lane] += Rows::at(row, i) * query[i];
  return Rows::product(total(sums), row, dim);
}

template <class Rows>
void block(const std::byte* const* rows, std::size_t n_rows, const float* const* queries,
           std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t q = 0; q < n_queries; ++q) {
      scores[q * stride + r] = dot<Rows>(rows[r], queries[q], dim);
    }
  }
}

template <class Rows>
void stream(const std::byte* rows, std::size_t n_rows, const float* query, std::size_t dim,
            float* scores) {
  for (std::size_t r = 0; r < n_rows; ++r) {
    scores[r] = dot<Rows>(rows + r * Rows::row_bytes(dim), query, dim);
  }
}

constexpr FloatKernels kKernels{{block<PlainFloat32>, stream<PlainFloat32>},
                                {block<PlainBfloat16>, stream<PlainBfloat16>}};

}  // namespace

const FloatKernels* const kScorePlain = &kKernels;

}  // namespace knarr
