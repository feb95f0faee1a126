// Choices of the planner, by counted work: no test here reads a clock.
#include "vectors/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vectors/search.h"

namespace knarr {
namespace {

constexpr CostModel kModel{30, 40, 50, 40, 5000};

std::vector<Work> works() {
  std::vector<Work> out;
  for (std::size_t dim : {64u, 384u, 1536u}) {
    for (std::uint64_t rows : {1u, 50u, 9'999u, 10'000u, 10'001u, 30'000u, 100'000u, 1'000'000u}) {
      for (std::uint64_t rows_in_block : {1u, 2u, 5u, 15u, 16u, 32u}) {
        for (std::size_t k : {1u, 10u, 100u, 1000u, 100'000u}) {
          out.push_back({rows, rows / rows_in_block + 1, dim, k});
        }
      }
    }
  }
  return out;
}

double cost(const CostModel& machine, const Work& work, Plan plan) {
  return plan == Plan::kScan ? machine.scan_ns(work) : machine.exact_ns(work);
}

TEST(Planner, NarrowScopesAreExact) {
  const CostModel dear_vectors{1e9, 1e9, 1, 1, 1};
  for (const Work& work : works()) {
    if (work.rows > kExactRows) continue;
    EXPECT_EQ(choose(dear_vectors, work), Plan::kExact);
  }
  static_assert(kExactRows >= 10'000);
}

TEST(Planner, WideScopesAreScannedAndSparseOrGreedyOnesAreNot) {
  EXPECT_EQ(choose(kModel, {1'000'000, 31'250, 384, 10}), Plan::kScan);
  EXPECT_EQ(choose(kModel, {100'000, 3'125, 384, 10}), Plan::kScan);
  EXPECT_EQ(choose(kModel, {100'000, 3'125, 384, 100'000}), Plan::kExact);
  EXPECT_EQ(choose({30, 40, 50, 400, 5000}, {20'000, 20'000, 384, 10}), Plan::kExact);
}

// Each number of the model may be wrong by √2, up or down: the choice costs at most twice the best.
TEST(Planner, AWrongGuessCostsAtMostTwice) {
  const double off[] = {1 / std::sqrt(2.0), 1.0, std::sqrt(2.0)};
  for (const double a : off) {
    for (const double b : off) {
      for (const double c : off) {
        const CostModel machine{kModel.row_ns_per_kb * a, kModel.gap_ns_per_kb * c,
                                kModel.rerank_ns_per_kb * c, kModel.block_ns_per_kb * b,
                                kModel.start_ns * a};
        for (const Work& work : works()) {
          if (work.rows <= kExactRows) continue;
          const double best = std::min(machine.exact_ns(work), machine.scan_ns(work));
          EXPECT_LE(cost(machine, work, choose(kModel, work)), 2.0001 * best);
        }
      }
    }
  }
}

// A clock that a fake machine moves: each look at it is a step of the measurement.
TEST(Planner, ACalibrationReadsTheClockAndNothingElse) {
  std::int64_t time = 0;
  const CostModel model = measure_costs([&] { return time += 1'000'000; });
  EXPECT_GT(model.row_ns_per_kb, 0);
  EXPECT_NEAR(model.row_ns_per_kb, model.gap_ns_per_kb, 1e-9);  // a step each
  EXPECT_NEAR(model.start_ns, 1e6, 1);
  EXPECT_NEAR(model.block_ns_per_kb, 0, 0.1);  // the table is taken off
}

TEST(Planner, ThisMachineIsMeasuredOnce) {
  const CostModel& model = costs_here();
  EXPECT_EQ(&model, &costs_here());
  for (const double each :
       {model.row_ns_per_kb, model.gap_ns_per_kb, model.rerank_ns_per_kb, model.start_ns}) {
    EXPECT_GT(each, 0);
    EXPECT_TRUE(std::isfinite(each));
  }
  EXPECT_TRUE(std::isfinite(model.block_ns_per_kb));
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
