// Variants of the bound kernel beside the plain one, and many queries beside one.
#include "vectors/codes/bound_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/cpu.h"
#include "vectors/codes/codes.h"
#include "vectors/codes/query_table.h"

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
          {number(random), 3e-3f, 8e-6f + 8e-7f * static_cast<float>(q), 8e-3f * number(random)});
      floors.push_back(number(random));
    }
    for (const auto& table : entries) tables.push_back(table.data());
  }

  std::vector<std::vector<std::uint8_t>> entries;
  std::vector<const std::uint8_t*> tables;
  std::vector<BoundTerms> terms;
  std::vector<float> floors;
};

// Variants agree up to rounding: on bounds, where both have them, and on which rows pass, unless a
// bound is within rounding of the floor.
void expect_like(const std::vector<float>& plain, const std::vector<std::uint32_t>& plain_passing,
                 const std::vector<float>& upper, const std::vector<std::uint32_t>& passing,
                 const std::vector<float>& floors, std::size_t n_blocks) {
  constexpr float kRounding = 1e-4f;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::size_t block = i / kBlockCodes;
    if (passing[block] != 0) {
      ASSERT_NEAR(upper[i], plain[i], kRounding);
    }
    if (std::abs(plain[i] - floors[block / n_blocks]) < kRounding) continue;
    ASSERT_EQ(passing[block] >> i % kBlockCodes & 1, plain_passing[block] >> i % kBlockCodes & 1);
  }
}

TEST(BoundKernel, ManyQueriesGetWhatEachGetsAlone) {
  std::mt19937 random(1);
  for (const std::size_t code_bytes : {1u, 2u, 8u, 9u, 24u, 48u, 75u, 128u, 257u, 520u}) {
    for (int trial = 0; trial < 6; ++trial) {
      const std::size_t n_blocks = 1 + random() % kChunkBlocks, n_queries = 1 + random() % 50;
      std::vector<std::byte> blocks(n_blocks * code_bytes * kBlockCodes);
      for (auto& byte : blocks) byte = static_cast<std::byte>(random() & 255);
      std::vector<std::uint8_t> factors(n_blocks * kBlockCodes), offsets(factors.size());
      for (auto& x : factors) x = static_cast<std::uint8_t>(random());
      for (auto& x : offsets) x = static_cast<std::uint8_t>(random());
      const Queries queries(n_queries, code_bytes, random);
      const std::size_t rows = n_blocks * kBlockCodes;
      std::vector<float> plain;
      std::vector<std::uint32_t> plain_passing;
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
          for (std::size_t b = 0; b < n_blocks; ++b) {
            ASSERT_EQ(passing[q * n_blocks + b], passing_alone[b]);
            if (passing_alone[b] == 0) continue;  // bounds may not have been made
            for (std::size_t r = b * kBlockCodes; r < (b + 1) * kBlockCodes; ++r) {
              ASSERT_EQ(upper[q * rows + r], alone[r]);
            }
          }
        }
        if (plain.empty()) {
          plain = upper;
          plain_passing = passing;
        }
        expect_like(plain, plain_passing, upper, passing, queries.floors, n_blocks);
      }
    }
  }
}

// The formula of the gate, in bound_kernel.h.
bool lets(const Gate& gate, std::uint32_t sum, std::uint8_t factor, std::uint8_t offset) {
  const auto high = [](std::uint32_t a, std::uint32_t b) { return a * b >> 16; };
  const std::uint32_t inner = sum + gate.more < gate.less ? 0 : sum + gate.more - gate.less;
  return high(factor << 8, inner) + high(offset << 8, gate.offset_share) >= gate.least;
}

TEST(Gate, LetsEveryRowThatReachesTheFloorAndFewOthers) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1), size(-7, 2);
  std::size_t reached = 0, let = 0, closed = 0;
  for (int trial = 0; trial < 300000; ++trial) {
    const auto scale = static_cast<float>(std::pow(10, size(random) - 3));
    const auto most = static_cast<std::uint32_t>(1 + random() % 15872);
    const BoundTerms terms{static_cast<float>(number(random)),
                           static_cast<float>(std::pow(10, size(random) - 3)), scale,
                           static_cast<float>(number(random) * most * scale)};
    const std::uint32_t sum = random() % (most + 1);
    const auto factor = static_cast<std::uint8_t>(random());
    const auto offset = static_cast<std::uint8_t>(random() % 4 == 0 ? 255 : random());
    const float inner = static_cast<float>(sum) * terms.scale + terms.shift;
    const float bound = static_cast<float>(factor) * inner +
                        (static_cast<float>(offset) * terms.offset_step + terms.offset);
    const float floor = bound + static_cast<float>(number(random) * number(random));
    const Gate gate(terms, floor);
    closed += gate.least > 0;
    reached += bound >= floor;
    let += lets(gate, sum, factor, offset);
    ASSERT_TRUE(bound < floor || lets(gate, sum, factor, offset)) << trial;
  }
  EXPECT_GT(closed, 30000u);
  EXPECT_LT(let, 300000u - 30000u);
  EXPECT_GT(reached, 100000u);
}

TEST(Gate, NumbersThatDoNotFitLetEveryRow) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const BoundTerms good{0, 3e-3f, 8e-6f, 3e-3f};
  EXPECT_GT(Gate(good, 0.5f).least, 0);
  for (const float floor : {-kInfinity, kNaN, -1.0f, 1e9f}) {
    EXPECT_EQ(Gate(good, floor).least, 0) << floor;
  }
  for (const std::uint32_t sum : {0u, 1000u, 15872u}) {
    EXPECT_FALSE(lets(Gate(good, kInfinity), sum, 255, 255)) << "which no row reaches";
  }
  for (const float bad : {kNaN, kInfinity, -kInfinity, 1.0f}) {
    EXPECT_EQ(Gate({0, bad, 8e-6f, 3e-3f}, 0.5f).least, 0) << bad;
    EXPECT_EQ(Gate({0, 3e-3f, 8e-6f, bad}, 0.5f).least, 0) << bad;
  }
  for (const float bad : {kNaN, 0.0f, -1.0f, 1e-20f}) {
    EXPECT_EQ(Gate({0, 3e-3f, bad, 3e-3f}, 0.5f).least, 0) << bad;
  }
}

}  // namespace
}  // namespace knarr
