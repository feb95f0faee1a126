// The twin without instruction sets: the meaning of the others, and the path of every machine that
// has none of them. The sixteen sums are an array that compilers turn into vector registers.
#include <array>

#include "vectors/scan.h"

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

float dot(const float* row, const float* query, std::size_t dim) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= dim; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += row[i + lane] * query[i + lane];
    }
  }
  for (std::size_t lane = 0; i < dim; ++i, ++lane) sums[lane] += row[i] * query[i];
  return total(sums);
}

void block(const float* const* rows, std::size_t n_rows, const float* const* queries,
           std::size_t n_queries, std::size_t dim, float* scores, std::size_t stride) {
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t q = 0; q < n_queries; ++q) {
      scores[q * stride + r] = dot(rows[r], queries[q], dim);
    }
  }
}

void stream(const float* rows, std::size_t n_rows, const float* query, std::size_t dim,
            float* scores) {
  for (std::size_t r = 0; r < n_rows; ++r) scores[r] = dot(rows + r * dim, query, dim);
}

constexpr ScanKernel kKernel{block, stream};

}  // namespace

const ScanKernel* const kScanPlain = &kKernel;

}  // namespace knarr
