// The kernels of the code scan beside the plain one, and many queries beside one.
#include "vectors/estimate.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/cpu.h"
#include "vectors/codes.h"
#include "vectors/query_table.h"

namespace knarr {
namespace {

std::vector<const BoundKernel*> kernels_here() {
  std::vector<const BoundKernel*> kernels = {kBoundPlain};
  for (const CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= cpu_level() && bound_kernel(level) != nullptr) {
      kernels.push_back(bound_kernel(level));
    }
  }
  return kernels;
}

// Queries of one chunk: its steps, and terms, tables and floors of their own.
struct Queries {
  Queries(std::size_t n, std::size_t code_bytes, std::mt19937& random) {
    std::uniform_real_distribution<float> number(-1, 1);
    for (std::size_t q = 0; q < n; ++q) {
      entries.emplace_back(32 * code_bytes);
      for (auto& entry : entries.back()) {
        entry = static_cast<std::uint8_t>(random() % (kMostEntry + 1));
      }
      terms.push_back(
          {number(random), 1e-5f, 3e-8f + 3e-9f * static_cast<float>(q), 3e-5f * number(random)});
      floors.push_back(number(random));
    }
    for (const auto& table : entries) tables.push_back(table.data());
  }

  std::vector<std::vector<std::uint8_t>> entries;
  std::vector<const std::uint8_t*> tables;
  std::vector<BoundTerms> terms;
  std::vector<float> floors;
};

TEST(Bounds, ManyQueriesGetWhatEachGetsAlone) {
  std::mt19937 random(1);
  for (const std::size_t code_bytes : {1u, 2u, 8u, 9u, 24u, 48u, 75u, 128u, 257u, 520u}) {
    for (int trial = 0; trial < 6; ++trial) {
      const std::size_t n_blocks = 1 + random() % kChunkBlocks, n_queries = 1 + random() % 50;
      std::vector<std::byte> blocks(n_blocks * code_bytes * kBlockCodes);
      for (auto& byte : blocks) byte = static_cast<std::byte>(random() & 255);
      std::vector<std::uint16_t> factors(n_blocks * kBlockCodes), offsets(factors.size());
      for (auto& x : factors) x = static_cast<std::uint16_t>(random());
      for (auto& x : offsets) x = static_cast<std::uint16_t>(random());
      const Queries queries(n_queries, code_bytes, random);
      const std::size_t rows = n_blocks * kBlockCodes;
      std::vector<float> plain;
      for (const BoundKernel* kernel : kernels_here()) {
        std::vector<float> upper(n_queries * rows), alone(rows);
        std::vector<std::uint32_t> passing(n_queries * n_blocks), passing_alone(n_blocks);
        kernel->bounds_of_many(blocks.data(), n_blocks, code_bytes, factors.data(), offsets.data(),
                               queries.tables.data(), queries.terms.data(), queries.floors.data(),
                               n_queries, upper.data(), passing.data());
        for (std::size_t q = 0; q < n_queries; ++q) {
          kernel->bounds(blocks.data(), n_blocks, code_bytes, factors.data(), offsets.data(),
                         queries.tables[q], queries.terms[q], queries.floors[q], blocks.data(),
                         alone.data(), passing_alone.data());
          for (std::size_t r = 0; r < rows; ++r) ASSERT_EQ(upper[q * rows + r], alone[r]);
          for (std::size_t b = 0; b < n_blocks; ++b) {
            ASSERT_EQ(passing[q * n_blocks + b], passing_alone[b]);
          }
        }
        if (plain.empty()) plain = upper;
        for (std::size_t i = 0; i < upper.size(); ++i) {
          ASSERT_NEAR(upper[i], plain[i], 1e-4) << code_bytes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace knarr
