// Choices of the planner, which depend on what is asked only: no test here reads a clock.
#include "vectors/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vectors/search.h"

namespace knarr {
namespace {

constexpr std::uint64_t kDense = 32;  // rows in each block

Work work_of(std::uint64_t rows, std::uint64_t rows_in_block, std::size_t dim, std::size_t k,
             Precision precision = Precision::kFloat32) {
  return {rows, rows / rows_in_block + 1, dim, k, precision};
}

std::vector<Work> works() {
  std::vector<Work> out;
  for (const Precision precision : {Precision::kFloat32, Precision::kBfloat16, Precision::kInt8}) {
    for (std::size_t dim : {64u, 384u, 1536u}) {
      for (std::uint64_t rows : {1u, 50u, 10'000u, 10'001u, 30'000u, 100'000u, 1'000'000u}) {
        for (std::uint64_t rows_in_block : {1u, 2u, 5u, 15u, 16u, 32u}) {
          for (std::size_t k : {1u, 10u, 100u, 1000u, 100'000u}) {
            out.push_back(work_of(rows, rows_in_block, dim, k, precision));
          }
        }
      }
    }
  }
  return out;
}

double cost(const CostTable& machine, const Work& work, Plan plan) {
  return plan == Plan::kScan ? machine.scan_ns(work) : machine.exact_ns(work);
}

TEST(Planner, NarrowScopesAreExact) {
  const CostTable dear_vectors{1e9, 1e9, 1, 1, 1};
  for (const Work& work : works()) {
    if (work.rows > kExactRows) continue;
    EXPECT_EQ(choose(work), Plan::kExact);
    EXPECT_EQ(choose(work, dear_vectors), Plan::kExact);
  }
  static_assert(kExactRows >= 10'000);
}

TEST(Planner, WideScopesAreScannedAndGreedyOnesAreNot) {
  for (const std::size_t dim : {128u, 384u, 768u, 1536u}) {
    for (const std::size_t k : {1u, 10u, 20u}) {
      EXPECT_EQ(choose(work_of(kExactRows + 1, kDense, dim, k)), Plan::kScan) << dim << " " << k;
      EXPECT_EQ(choose(work_of(100'000, kDense, dim, k)), Plan::kScan) << dim << " " << k;
      EXPECT_EQ(choose(work_of(1'000'000, kDense, dim, k)), Plan::kScan) << dim << " " << k;
    }
    EXPECT_EQ(choose(work_of(100'000, kDense, dim, 100'000)), Plan::kExact) << dim;
  }
  EXPECT_EQ(choose(work_of(10'001, kDense, 384, 1000)), Plan::kExact);
  EXPECT_EQ(choose(work_of(100'000, kDense, 384, 1000)), Plan::kScan);
}

// Rights that hide most rows: a few of each block, or one of many blocks.
TEST(Planner, SparseScopes) {
  EXPECT_EQ(choose(work_of(50'000, 16, 384, 10)), Plan::kScan);
  EXPECT_EQ(choose(work_of(20'000, 3, 384, 10)), Plan::kScan);
  EXPECT_EQ(choose(work_of(20'000, 1, 384, 10)), Plan::kScan);
  EXPECT_EQ(choose(work_of(10'001, 1, 384, 100)), Plan::kScan);
  EXPECT_EQ(choose(work_of(10'001, 1, 384, 1000)), Plan::kExact);
  const CostTable dear_vectors{30, 40, 400, 50, 5000};
  EXPECT_EQ(choose({20'000, 20'000, 384, 10}, dear_vectors), Plan::kExact);
}

// A wider scope never turns a scan into an exact plan, nor does a smaller k.
TEST(Planner, IsMonotone) {
  for (const std::size_t dim : {64u, 128u, 384u, 1536u}) {
    for (const std::uint64_t rows_in_block : {1u, 4u, 32u}) {
      for (const std::size_t k : {1u, 10u, 100u, 1000u}) {
        bool scans = false;
        for (std::uint64_t rows = 500; rows < 3'000'000; rows += rows / 20) {
          if (rows < 8 * k) continue;
          const Plan plan = choose(work_of(rows, rows_in_block, dim, k));
          EXPECT_TRUE(!scans || plan == Plan::kScan) << dim << " " << rows << " " << k;
          scans = plan == Plan::kScan;
        }
        EXPECT_TRUE(scans);
      }
      for (const std::uint64_t rows : {10'001u, 100'000u, 1'000'000u}) {
        bool scans = true;
        for (std::size_t k = 1; 8 * k <= rows; k += 1 + k / 10) {
          const Plan plan = choose(work_of(rows, rows_in_block, dim, k));
          EXPECT_TRUE(scans || plan == Plan::kExact) << dim << " " << rows << " " << k;
          scans = plan == Plan::kScan;
        }
      }
    }
  }
}

// Each price of the table may be wrong by √2, up or down: the choice costs at most twice the best.
TEST(Planner, AWrongGuessCostsAtMostTwice) {
  const double off[] = {1 / std::sqrt(2.0), 1.0, std::sqrt(2.0)};
  for (const double a : off) {
    for (const double b : off) {
      for (const double c : off) {
        const CostTable machine{kCosts.row_ns_per_kb * a, kCosts.gap_ns_per_kb * c,
                                kCosts.rerank_ns_per_kb * c, kCosts.block_ns_per_kb * b,
                                kCosts.start_ns * a};
        for (const Work& work : works()) {
          if (work.rows <= kExactRows) continue;
          const double best = std::min(machine.exact_ns(work), machine.scan_ns(work));
          EXPECT_LE(cost(machine, work, choose(work)), 2.0001 * best);
        }
      }
    }
  }
}

TEST(Planner, NeverChoosesTheGraph) {
  for (const Work& work : works()) EXPECT_NE(choose(work), Plan::kGraph);
}

TEST(Planner, SearchSaysWhatItDid) {
  VectorStore store(64);
  std::vector<float> values(12'000 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 101);
  store.append(values, 12'000);
  const auto before = [](Row a, Row b) { return a < b; };
  const auto narrow = top_k(store.view(), RowSet::range(0, 10'000), values.data(), 10, before);
  EXPECT_STREQ(narrow.plan, "exact");
  EXPECT_EQ(narrow.explanation.rows_allowed, 10'000u);
  EXPECT_EQ(narrow.explanation.rows_scanned, 10'000u);
  EXPECT_LE(narrow.explanation.rows_reranked, 10'000u);
  const auto wide = top_k(store.view(), RowSet::range(0, 12'000), values.data(), 10, before,
                          {PlanWish::kExact, 0.5});
  EXPECT_STREQ(wide.plan, "exact");
}

}  // namespace
}  // namespace knarr
