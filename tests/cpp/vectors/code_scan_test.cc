// The code scan beside the exact plan, on rows that are kind to codes and on rows that are not.
#include "vectors/code_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "vector_rows.h"
#include "vectors/search.h"

namespace knarr {
namespace {

constexpr SearchHow kByCodes{PlanWish::kScan, 0.99};
constexpr SearchHow kExactly{PlanWish::kExact, 0.99};

// Rows in families of `family`, all near one direction, as the chunks of a library are.
Matrix library(std::size_t n, std::size_t dim, std::size_t family, unsigned seed) {
  const Matrix noise = normal(n, dim, seed), heads = normal(n / family + 1, dim, seed + 1);
  const Matrix common = normal(1, dim, seed + 2);
  Matrix out(n * dim);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t i = 0; i < dim; ++i) {
      out[r * dim + i] = common[i] + 0.8f * heads[r / family * dim + i] + 0.4f * noise[r * dim + i];
    }
  }
  return out;
}

// A query near a row.
Matrix near(const Matrix& values, std::size_t dim, std::size_t row, unsigned seed) {
  Matrix query = normal(1, dim, seed);
  for (std::size_t i = 0; i < dim; ++i) query[i] = values[row * dim + i] + 0.3f * query[i];
  return query;
}

RowSet one_of(std::size_t each, Row rows, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> mask(rows);
  for (auto& bit : mask) bit = random() % each == 0;
  return RowSet::from_mask(mask);
}

// The share of the exact result's rows that were found; rows of equal score stand in for each
// other.
double recall(const std::vector<ScoredRow>& found, const std::vector<ScoredRow>& exact) {
  const float last = exact.back().score;
  const auto good = std::count_if(found.begin(), found.end(),
                                  [last](const ScoredRow& each) { return each.score >= last; });
  return static_cast<double>(good) / static_cast<double>(exact.size());
}

void expect_sound(const TopKResult& result, const RowSet& allowed, std::size_t k) {
  ASSERT_EQ(result.rows.size(), std::min<std::uint64_t>(k, allowed.size()));
  std::unordered_set<Row> seen;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    ASSERT_TRUE(allowed.contains(result.rows[i].row));
    ASSERT_TRUE(seen.insert(result.rows[i].row).second);
    if (i == 0) continue;
    const ScoredRow &a = result.rows[i - 1], &b = result.rows[i];
    ASSERT_TRUE(a.score > b.score || (a.score == b.score && a.row < b.row));
  }
}

struct Case {
  const char* name;
  Matrix values;
};

std::vector<Case> cases(std::size_t n, std::size_t dim) {
  std::vector<Case> out;
  out.push_back({"library", library(n, dim, 20, 1)});
  out.push_back({"random", normal(n, dim, 2)});
  Matrix few(n * dim, 0.0f);  // most dimensions hold nothing, many rows are the same
  std::mt19937 random(3);
  for (std::size_t r = 0; r < n; ++r) {
    for (int j = 0; j < 3; ++j) few[r * dim + random() % 40] += 1;
  }
  out.push_back({"sparse", few});
  Matrix copies = library(n, dim, 20, 4);
  for (std::size_t r = 0; r + 1 < n; ++r) {
    if (r % 3 != 0) std::copy_n(copies.begin() + (r - r % 3) * dim, dim, copies.begin() + r * dim);
  }
  out.push_back({"copies", copies});
  Matrix drift = library(n, dim, 20, 5);  // then rows of another kind, in few dimensions
  for (std::size_t at = n / 2 * dim; at < n * dim; ++at) {
    drift[at] = at % dim < dim / 8 ? drift[at] * 3 : drift[at] * 0.1f;
  }
  out.push_back({"drift", drift});
  return out;
}

TEST(CodeScan, FindsWhatTheExactPlanFinds) {
  const std::size_t n = 20'000;
  for (const std::size_t dim : {128u, 384u}) {  // of signs, and of peaks
    for (const Case& each : cases(n, dim)) {
      const VectorStore store = store_of(each.values, dim);
      double sum = 0;
      int count = 0;
      for (const RowSet& allowed :
           {RowSet::range(0, n), RowSet::range(777, 15'001), one_of(2, n, 5), one_of(10, n, 6)}) {
        for (unsigned seed = 0; seed < 8; ++seed) {
          const Matrix query = near(each.values, dim, 31 * seed + 1000, seed);
          for (const std::size_t k : {1u, 10u, 100u}) {
            const auto exact = top_k(store.view(), allowed, query.data(), k, by_row, kExactly);
            const auto found = top_k(store.view(), allowed, query.data(), k, by_row, kByCodes);
            ASSERT_NO_FATAL_FAILURE(expect_sound(found, allowed, k)) << each.name;
            ASSERT_EQ(found.explanation.rows_allowed, allowed.size());
            ASSERT_GE(found.explanation.rows_scanned + 1000, allowed.size());
            sum += recall(found.rows, exact.rows);
            ++count;
          }
        }
      }
      EXPECT_GE(sum / count, 0.99) << each.name << " " << dim;
    }
  }
}

TEST(CodeScan, LooksAtFewRowsOfALibrary) {
  const std::size_t dim = 384, n = 20'000;
  const Matrix values = library(n, dim, 20, 7);
  const VectorStore store = store_of(values, dim);
  const Matrix query = near(values, dim, 9000, 8);
  const auto found = top_k(store.view(), RowSet::range(0, n), query.data(), 10, by_row, kByCodes);
  EXPECT_STREQ(found.plan, "scan");
  EXPECT_GE(found.explanation.rows_reranked, 10u);
  EXPECT_LT(found.explanation.rows_reranked, n / 20);
}

TEST(CodeScan, LooksAtMoreRowsForMoreRecall) {
  const std::size_t dim = 384, n = 20'000;
  const Matrix values = library(n, dim, 500, 9);
  const VectorStore store = store_of(values, dim);
  std::uint64_t last = 0;
  for (const double target : {0.5, 0.8, 0.95, 0.99, 0.9999}) {
    std::uint64_t sum = 0;
    for (unsigned seed = 0; seed < 5; ++seed) {
      const Matrix query = near(values, dim, 4000 * seed + 7, 100 + seed);
      sum += top_k(store.view(), RowSet::range(0, n), query.data(), 10, by_row,
                   {PlanWish::kScan, target})
                 .explanation.rows_reranked;
    }
    EXPECT_GT(sum, last) << target;
    last = sum;
  }
  const auto all =
      top_k(store.view(), RowSet::range(0, n), values.data(), 10, by_row, {PlanWish::kScan, 1.0});
  EXPECT_STREQ(all.plan, "exact");
}

// Codes cannot tell these rows apart: the scan is given up, and the result is the exact one.
TEST(CodeScan, GivesUpWhereRowsAreTooMuchAlike) {
  const std::size_t dim = 64, n = 6000;
  const Matrix values = normal(n, dim, 10);
  const VectorStore store = store_of(values, dim);
  const Matrix query = normal(1, dim, 11);
  const RowSet allowed = RowSet::range(0, n);
  const auto exact = top_k(store.view(), allowed, query.data(), 2000, by_row, kExactly);
  const auto found = top_k(store.view(), allowed, query.data(), 2000, by_row, kByCodes);
  EXPECT_STREQ(found.plan, "exact");
  EXPECT_EQ(found.rows, exact.rows);
}

// A query near nothing: the scan ends when it sees that, not at the last code.
TEST(CodeScan, GivesUpBeforeAllCodesAreRead) {
  const std::size_t dim = 384, n = 30'000, k = 150;
  const VectorStore store = store_of(normal(n, dim, 12), dim);
  const Matrix query = normal(1, dim, 13);
  const RowSet allowed = RowSet::range(0, n);
  const auto exact = top_k(store.view(), allowed, query.data(), k, by_row, kExactly);
  const auto found = top_k(store.view(), allowed, query.data(), k, by_row, kByCodes);
  EXPECT_STREQ(found.plan, "exact");
  EXPECT_EQ(found.rows, exact.rows);
  EXPECT_LT(found.explanation.rows_scanned, n + 3 * n / 4);  // those of the exact plan count too
}

// Until the last rows all are much alike: that they are not near must not end the scan.
TEST(CodeScan, GoesOnToTheRowsThatAreNear) {
  const std::size_t dim = 384, n = 30'000, near_rows = 20;
  Matrix values = library(n, dim, n, 14);
  const Matrix other = normal(1, dim, 15), noise = normal(near_rows, dim, 16);
  for (std::size_t i = 0; i < near_rows * dim; ++i) {
    values[(n - kChunkRows - near_rows) * dim + i] = 3 * other[i % dim] + 0.5f * noise[i];
  }
  const VectorStore store = store_of(values, dim);
  const RowSet allowed = RowSet::range(0, n);
  const auto exact = top_k(store.view(), allowed, other.data(), 10, by_row, kExactly);
  const auto found = top_k(store.view(), allowed, other.data(), 10, by_row, kByCodes);
  EXPECT_STREQ(found.plan, "scan");
  EXPECT_EQ(found.rows, exact.rows);
}

// Queries on the edge of being given up, each asked with several numbers of threads at work: the
// plan, what was looked at and the result are the same every time.
TEST(CodeScan, GivingUpDependsOnTheRowsOnly) {
  const std::size_t dim = 128, n = 120'000, nq = 12;
  const Matrix values = library(n, dim, 20, 30);
  const VectorStore store = store_of(values, dim);
  Matrix queries;
  for (std::size_t q = 0; q < nq; ++q) {  // from near a row to near nothing
    const Matrix far = normal(1, dim, static_cast<unsigned>(40 + q));
    for (std::size_t i = 0; i < dim; ++i) {
      const float share = static_cast<float>(q) / nq;
      queries.push_back((1 - share) * values[9000 * q * dim + i] + share * far[i]);
    }
  }
  const RowSet allowed = RowSet::range(0, n);
  const auto ask = [&](std::size_t q) {
    return top_k(store.view(), allowed, queries.data() + q * dim, 10, by_row, kByCodes);
  };
  const auto same = [](const TopKResult& a, const TopKResult& b) {
    const bool is_scan = std::string_view(a.plan) == "scan";
    return a.rows == b.rows && std::string_view(a.plan) == b.plan &&
           (!is_scan || a.explanation.rows_reranked == b.explanation.rows_reranked);
  };
  std::vector<TopKResult> alone;
  std::size_t scans = 0;
  for (std::size_t q = 0; q < nq; ++q) {
    alone.push_back(ask(q));
    scans += std::string_view(alone[q].plan) == "scan";
  }
  EXPECT_GT(scans, 0u);
  EXPECT_LT(scans, nq);
  const auto batch = top_k_batch(store.view(), allowed, queries.data(), nq, 10, by_row, kByCodes);
  for (std::size_t q = 0; q < nq; ++q) EXPECT_TRUE(same(batch[q], alone[q])) << q;
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> burning;
  for (int i = 0; i < 3; ++i) {
    burning.emplace_back([&] {
      while (!is_over.load(std::memory_order_relaxed)) {
      }
    });
  }
  std::atomic<int> different{0};
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < 4; ++i) {
      callers.emplace_back([&, i] {
        for (std::size_t q = 0; q < nq; ++q) {
          different += same(ask((q + 3 * i) % nq), alone[(q + 3 * i) % nq]) ? 0 : 1;
        }
      });
    }
  }
  is_over = true;
  EXPECT_EQ(different.load(), 0);
}

TEST(CodeScan, EqualRowsAreOrderedByTheCaller) {
  const std::size_t dim = 64, n = 5000;
  const Matrix values(n * dim, 0.5f);
  const VectorStore store = store_of(values, dim);
  for (const std::size_t k : {1u, 10u, 600u, 5000u, 9000u}) {
    const auto found =
        top_k(store.view(), RowSet::range(0, n), values.data(), k, by_row, kByCodes).rows;
    ASSERT_EQ(found.size(), std::min(k, n));
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].row, i);
  }
}

TEST(CodeScan, SmallStoresOddWidthsAndRowsWithoutCodes) {
  for (std::size_t dim : {1u, 5u, 63u, 64u, 65u, 100u, 1100u}) {
    for (std::size_t n : {1u, 511u, 512u, 513u, 1000u, 1300u}) {
      const Matrix values = normal(n, dim, 12);
      const VectorStore store = store_of(values, dim);
      const Matrix query = near(values, dim, n / 2, 13);
      RowSet allowed = RowSet::range(0, static_cast<Row>(n));
      allowed.remove_range(3, 7);
      for (const RowSet& rows : {allowed, RowSet(), RowSet::range(n - 1, n), one_of(50, n, 14)}) {
        const auto found = top_k(store.view(), rows, query.data(), 5, by_row, kByCodes);
        ASSERT_NO_FATAL_FAILURE(expect_sound(found, rows, 5)) << dim << " " << n;
      }
      const auto best = top_k(store.view(), allowed, query.data(), 1, by_row, kByCodes).rows;
      if (dim < 63 || n < 100) continue;  // too narrow for its neighbours to be far
      EXPECT_EQ(best.at(0).row, n / 2);
    }
  }
}

TEST(CodeScan, ABatchEqualsItsQueriesAskedAlone) {
  const std::size_t dim = 96, n = 9000;
  const Matrix values = library(n, dim, 10, 15);
  const VectorStore store = store_of(values, dim);
  for (const RowSet& allowed : {RowSet::range(5, 8999), one_of(3, n, 16)}) {
    for (std::size_t nq : {1u, 3u, 47u, 48u, 49u, 100u}) {
      Matrix queries;
      for (std::size_t q = 0; q < nq; ++q) {
        const Matrix query = q % 9 == 8 ? normal(1, dim, 17) : near(values, dim, 80 * q, 18);
        queries.insert(queries.end(), query.begin(), query.end());
      }
      const auto batch =
          top_k_batch(store.view(), allowed, queries.data(), nq, 20, by_row, kByCodes);
      for (std::size_t q = 0; q < nq; ++q) {
        const auto alone =
            top_k(store.view(), allowed, queries.data() + q * dim, 20, by_row, kByCodes);
        ASSERT_EQ(batch[q].rows, alone.rows) << nq << " " << q;
        ASSERT_STREQ(batch[q].plan, alone.plan);
        if (alone.plan == std::string_view("exact")) continue;  // given up
        ASSERT_EQ(batch[q].explanation.rows_reranked, alone.explanation.rows_reranked);
      }
    }
  }
}

// 240,000 rows have codes enough for two threads; many callers at once leave some with one. Queries
// near nothing are given up or not, whoever reads what.
TEST(CodeScan, ThreadsChangeNothing) {
  const std::size_t dim = 256, n = 240'000;
  Matrix values = normal(n, dim, 19);
  Matrix queries;
  for (const std::size_t row : {7u, 100'000u, 230'000u}) {
    const Matrix query = near(values, dim, row, 20);
    queries.insert(queries.end(), query.begin(), query.end());
    for (std::size_t i = 1; i <= 60; ++i) {  // so that the best stand out
      const Matrix like = near(values, dim, row, static_cast<unsigned>(20 + i));
      std::ranges::copy(like,
                        values.begin() + static_cast<std::ptrdiff_t>((row + i * 3001) % n * dim));
    }
  }
  const VectorStore store = store_of(values, dim);
  ASSERT_GT(store.view().codes().chunks() * store.view().codes().coder().shape().size_bytes,
            kCodeBytesPerWorker);
  const RowSet allowed = RowSet::range(0, n);
  constexpr std::size_t kNearNothing = 2;
  const Matrix lost = normal(kNearNothing, dim, 90);
  queries.insert(queries.end(), lost.begin(), lost.end());
  const std::size_t nq = 3 + kNearNothing;
  std::vector<TopKResult> first;
  for (std::size_t q = 0; q < nq; ++q) {
    first.push_back(top_k(store.view(), allowed, queries.data() + q * dim, 50, by_row, kByCodes));
    ASSERT_STREQ(first[q].plan, q < 3 ? "scan" : "exact");
  }
  std::vector<std::jthread> callers;
  std::vector<int> different(6);
  for (std::size_t i = 0; i < different.size(); ++i) {
    callers.emplace_back([&, i] {
      for (std::size_t q = 0; q < nq; ++q) {
        const auto again =
            top_k(store.view(), allowed, queries.data() + q * dim, 50, by_row, kByCodes);
        different[i] +=
            again.rows != first[q].rows || std::string_view(again.plan) != first[q].plan;
        if (q >= 3) continue;  // the filter of the exact plan may score a few more or fewer rows
        different[i] += again.explanation.rows_reranked != first[q].explanation.rows_reranked;
      }
    });
  }
  callers.clear();
  EXPECT_EQ(std::accumulate(different.begin(), different.end(), 0), 0);
}

TEST(CodeScan, ANaNRowIsNeverReturned) {
  const std::size_t dim = 64, n = 2 * kChunkRows;
  auto data = std::make_shared<Matrix>(normal(n, dim, 21));
  for (std::size_t at = 0; at < data->size(); ++at) (*data)[at] /= 8;  // about of length one
  (*data)[700 * dim + 1] = std::numeric_limits<float>::quiet_NaN();
  const VectorStore store(dim, {data->data(), static_cast<Row>(n), data});
  const Matrix query = normal(1, dim, 22);
  const auto found = top_k(store.view(), RowSet::range(0, n), query.data(), 900, by_row,
                           {PlanWish::kScan, 0.9999});
  for (const ScoredRow& each : found.rows) EXPECT_NE(each.row, 700u);
  EXPECT_EQ(found.rows.size(), 900u);
}

TEST(CodeScan, RecallTargetsOutOfRangeAreRefused) {
  const VectorStore store = store_of(normal(10, 64, 23), 64);
  const Matrix query = normal(1, 64, 24);
  for (const double target : {0.0, -1.0, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(top_k(store.view(), RowSet::range(0, 10), query.data(), 1, by_row,
                       {PlanWish::kAuto, target}),
                 Error);
  }
}

TEST(CodeScan, QuantilesAreThoseOfTheNormalDistribution) {
  EXPECT_NEAR(normal_quantile(0.99), 2.326348, 1e-5);
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-5);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-5);
  EXPECT_NEAR(normal_quantile(0.1), 0, 1e-5);
  EXPECT_GT(normal_quantile(std::nextafter(1.0, 0.0)), 7);
}

}  // namespace
}  // namespace knarr
