// Search beside a dull reference: every score in double, sorted.
#include "vectors/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/cpu.h"
#include "base/error.h"
#include "base/parallel.h"
#include "vector_rows.h"
#include "vectors/exact.h"
#include "vectors/rows/score_kernel.h"

namespace knarr {
namespace {

constexpr auto by_row_down = [](Row a, Row b) { return a > b; };

std::vector<Row> rows_of(const RowSet& set) {
  std::vector<Row> rows;
  set.for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) rows.push_back(row);
  });
  return rows;
}

struct Scored {
  Row row;
  double score;
};

// All allowed rows, best first, by cosines in double.
std::vector<Scored> brute(const std::vector<float>& values, std::size_t dim, const RowSet& allowed,
                          const float* query) {
  std::vector<Scored> all;
  for (Row row : rows_of(allowed)) {
    double dot = 0, vv = 0, qq = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      const double x = values[row * dim + i];
      dot += x * query[i];
      vv += x * x;
      qq += double{query[i]} * query[i];
    }
    all.push_back({row, dot / std::sqrt(vv * qq)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return all;
}

// Same length, scores within rounding, ordered, and no row that the reference would not have there.
void expect_close(const std::vector<ScoredRow>& found, const std::vector<Scored>& all,
                  std::size_t k) {
  ASSERT_EQ(found.size(), std::min(k, all.size()));
  std::vector<double> score_of;
  for (const Scored& s : all) {
    if (s.row >= score_of.size()) score_of.resize(s.row + 1, -9);
    score_of[s.row] = s.score;
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i].score, all[i].score, 2e-6) << "rank " << i;
    ASSERT_LT(found[i].row, score_of.size());
    ASSERT_NEAR(found[i].score, score_of[found[i].row], 2e-6);
    ASSERT_GE(found[i > 0 ? i - 1 : 0].score, found[i].score);
    rows.push_back(found[i].row);
  }
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
}

std::vector<CpuLevel> levels_here() {
  std::vector<CpuLevel> levels;
  for (CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= cpu_level() && score_kernel(level) != nullptr) levels.push_back(level);
  }
  return levels;
}

const std::byte* bytes_of(const float* row) { return reinterpret_cast<const std::byte*>(row); }

std::vector<float> scores_by(const ScoreKernel* kernel, const std::vector<float>& rows,
                             std::size_t n, const std::vector<float>& queries, std::size_t nq,
                             std::size_t dim) {
  std::vector<const std::byte*> r(n);
  std::vector<const float*> q(nq);
  for (std::size_t i = 0; i < n; ++i) r[i] = bytes_of(rows.data() + i * dim);
  for (std::size_t i = 0; i < nq; ++i) q[i] = queries.data() + i * dim;
  std::vector<float> scores(n * nq);
  kernel->block(r.data(), n, q.data(), nq, dim, scores.data(), n);
  return scores;
}

std::vector<float> units(std::size_t n, std::size_t dim, unsigned seed) {
  const VectorStore store = store_of(normal(n, dim, seed), dim);
  std::vector<float> out;
  for (Row row = 0; row < n; ++row) {
    out.insert(out.end(), store.view().row(row), store.view().row(row) + dim);
  }
  return out;
}

TEST(Scan, VariantsAgree) {
  for (std::size_t dim : {1u, 3u, 7u, 8u, 9u, 15u, 16u, 17u, 24u, 31u, 33u, 100u, 384u, 1001u}) {
    for (std::size_t n : {1u, 2u, 3u, 4u, 7u, 8u, 9u, 21u}) {
      for (std::size_t nq : {1u, 2u, 3u, 4u, 5u, 12u}) {
        const auto rows = units(n, dim, 1), queries = units(nq, dim, 2);
        const auto plain = scores_by(score_kernel(CpuLevel::kPlain), rows, n, queries, nq, dim);
        for (CpuLevel level : levels_here()) {
          const auto fast = scores_by(score_kernel(level), rows, n, queries, nq, dim);
          for (std::size_t i = 0; i < plain.size(); ++i) {
            ASSERT_NEAR(fast[i], plain[i], 1e-6)
                << cpu_level_name(level) << " dim " << dim << " n " << n << " nq " << nq;
          }
        }
      }
    }
  }
}

TEST(Scan, AScoreDependsOnItsRowAndQueryOnly) {
  for (std::size_t dim : {5u, 16u, 50u, 384u}) {
    const auto rows = units(21, dim, 3), queries = units(12, dim, 4);
    for (CpuLevel level : levels_here()) {
      const ScoreKernel* kernel = score_kernel(level);
      const auto all = scores_by(kernel, rows, 21, queries, 12, dim);
      std::vector<float> streamed(21);
      for (std::size_t q = 0; q < 12; ++q) {
        kernel->stream(bytes_of(rows.data()), 21, queries.data() + q * dim, dim, streamed.data());
        for (std::size_t r = 0; r < 21; ++r) {
          const std::byte* row = bytes_of(rows.data() + r * dim);
          const float* query = queries.data() + q * dim;
          float alone = 0;
          kernel->block(&row, 1, &query, 1, dim, &alone, 1);
          ASSERT_EQ(streamed[r], alone) << cpu_level_name(level) << " dim " << dim;
          ASSERT_EQ(all[q * 21 + r], alone) << cpu_level_name(level) << " dim " << dim;
        }
      }
    }
  }
}

TEST(Search, AgreesWithBruteForce) {
  std::mt19937 random(5);
  for (std::size_t dim : {1u, 4u, 17u, 64u}) {
    const auto values = normal(2000, dim, 6);
    const VectorStore store = store_of(values, dim);
    RowSet scattered;
    for (int i = 0; i < 150; ++i) {
      const Row begin = random() % 2000;
      scattered.add_range(begin, std::min<Row>(2000, begin + 1 + random() % 5));
    }
    for (const RowSet& allowed :
         {RowSet::range(0, 2000), RowSet::range(700, 720), RowSet::range(1999, 2000), scattered}) {
      for (std::size_t k : {1u, 20u, 50u, 500u, 5000u}) {
        const auto query = normal(1, dim, static_cast<unsigned>(k));
        const TopKResult found = top_k(store.view(), allowed, query.data(), k, by_row);
        EXPECT_STREQ(found.plan, "exact");
        ASSERT_NO_FATAL_FAILURE(
            expect_close(found.rows, brute(values, dim, allowed, query.data()), k));
      }
    }
  }
}

// Every variant, through the whole plan: ragged dimensions, segment borders, a batch.
TEST(Search, EveryVariantAgreesWithBruteForce) {
  const std::size_t dim = 16'385;  // 128 rows to a segment
  const auto values = normal(300, dim, 7);
  const VectorStore store = store_of(values, dim);
  const auto queries = units(5, dim, 8);
  std::vector<const float*> pointers;
  for (std::size_t q = 0; q < 5; ++q) pointers.push_back(queries.data() + q * dim);
  RowSet allowed = RowSet::range(100, 290);
  allowed.remove_range(127, 129);
  for (CpuLevel level : levels_here()) {
    const auto found =
        exact_top_k(store.view(), allowed, pointers, 9, by_row, *score_kernel(level));
    for (std::size_t q = 0; q < 5; ++q) {
      ASSERT_NO_FATAL_FAILURE(
          expect_close(found[q], brute(values, dim, allowed, queries.data() + q * dim), 9));
    }
  }
}

TEST(Search, EqualVectorsTieToTheBitAndTheCallersOrderDecides) {
  const std::size_t dim = 24, n = 20'000;
  auto values = normal(n, dim, 9);
  const auto repeated = normal(1, dim, 10);
  std::mt19937 random(11);
  std::vector<Row> places(n);
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), random);
  places.resize(300);
  for (Row row : places) std::copy(repeated.begin(), repeated.end(), values.begin() + row * dim);
  std::sort(places.begin(), places.end());
  const VectorStore store = store_of(values, dim);
  RowSet holes = RowSet::range(0, n);
  for (Row row = 3; row < n; row += 7) holes.remove_range(row, row + 1);

  for (const RowSet& allowed : {RowSet::range(0, n), holes}) {
    std::vector<Row> expected;
    for (Row row : places) {
      if (allowed.contains(row)) expected.push_back(row);
    }
    const std::size_t ties = expected.size();
    const auto up = top_k(store.view(), allowed, repeated.data(), ties, by_row).rows;
    const auto down = top_k(store.view(), allowed, repeated.data(), 70, by_row_down).rows;
    for (std::size_t i = 0; i < ties; ++i) {
      ASSERT_EQ(up[i].row, expected[i]);
      ASSERT_EQ(up[i].score, up[0].score);
    }
    for (std::size_t i = 0; i < 70; ++i) ASSERT_EQ(down[i].row, expected[ties - 1 - i]);
  }
}

TEST(Search, AllRowsEqual) {
  const std::size_t dim = 8, n = 5000;
  std::vector<float> values(n * dim, 0.5f);
  const VectorStore store = store_of(values, dim);
  for (std::size_t k : {1u, 10u, 63u, 64u, 65u, 4999u, 5000u, 9000u}) {
    const auto found = top_k(store.view(), RowSet::range(0, n), values.data(), k, by_row_down).rows;
    ASSERT_EQ(found.size(), std::min(k, n));
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].row, n - 1 - i);
  }
}

TEST(Search, PagesJoinToOneCall) {
  const std::size_t dim = 16, n = 100;
  auto values = normal(n, dim, 12);
  for (Row row = 0; row < 90; row += 3) {
    std::copy_n(values.begin(), dim, values.begin() + row * dim);
  }
  const VectorStore store = store_of(values, dim);
  const auto query = normal(1, dim, 13);
  const auto whole = top_k(store.view(), RowSet::range(0, n), query.data(), n, by_row).rows;
  for (std::size_t k = 1; k <= n; ++k) {
    const auto part = top_k(store.view(), RowSet::range(0, n), query.data(), k, by_row).rows;
    ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin())) << k;
  }
}

TEST(Search, ABatchEqualsItsQueriesAskedAlone) {
  for (std::size_t dim : {5u, 48u, 384u}) {
    const auto values = normal(700, dim, 14);
    const VectorStore store = store_of(values, dim);
    RowSet allowed = RowSet::range(3, 690);
    allowed.remove_range(100, 103);
    for (std::size_t nq : {0u, 1u, 2u, 3u, 11u, 12u, 13u, 48u, 49u, 100u}) {
      const auto queries = normal(nq, dim, 15);
      const auto batch = top_k_batch(store.view(), allowed, queries.data(), nq, 20, by_row);
      ASSERT_EQ(batch.size(), nq);
      for (std::size_t q = 0; q < nq; ++q) {
        const auto alone = top_k(store.view(), allowed, queries.data() + q * dim, 20, by_row);
        ASSERT_EQ(batch[q].rows, alone.rows) << "dim " << dim << " nq " << nq << " q " << q;
      }
    }
  }
}

// 60,000 rows of 256 are 61 MB: enough for threads. The same set in pieces small enough for one
// thread, merged by hand, must be the same to the bit.
TEST(Search, ThreadsChangeNothing) {
  const std::size_t dim = 256, n = 60'000, nq = 3;
  auto values = normal(n, dim, 16);
  for (Row row = 50; row < n; row += 1000) {  // ties in every task
    std::copy_n(values.begin(), dim, values.begin() + row * dim);
  }
  const VectorStore store = store_of(values, dim);
  auto queries = normal(nq, dim, 17);
  std::copy_n(values.begin(), dim, queries.begin());
  const SearchHow exactly{PlanWish::kExact, 1.0};
  const auto batch =
      top_k_batch(store.view(), RowSet::range(0, n), queries.data(), nq, 100, by_row_down, exactly);
  for (std::size_t q = 0; q < nq; ++q) {
    const float* query = queries.data() + q * dim;
    std::vector<ScoredRow> merged;
    for (Row begin = 0; begin < n; begin += 5000) {
      const RowSet piece = RowSet::range(begin, begin + 5000);
      const auto part = top_k(store.view(), piece, query, 100, by_row_down).rows;
      merged.insert(merged.end(), part.begin(), part.end());
    }
    std::sort(merged.begin(), merged.end(), [](const ScoredRow& a, const ScoredRow& b) {
      return a.score != b.score ? a.score > b.score : a.row > b.row;
    });
    merged.resize(100);
    EXPECT_EQ(batch[q].rows, merged);
    const auto alone = top_k(store.view(), RowSet::range(0, n), query, 100, by_row_down, exactly);
    EXPECT_EQ(alone.rows, merged);
  }
  std::vector<std::jthread> callers;
  std::atomic<int> different{0};
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      const auto again =
          top_k(store.view(), RowSet::range(0, n), queries.data(), 100, by_row_down, exactly);
      if (again.rows != batch[0].rows) ++different;
    });
  }
  callers.clear();
  EXPECT_EQ(different.load(), 0);
}

TEST(Search, KFromOneToMoreThanThereIs) {
  const std::size_t dim = 4;
  const auto values = normal(10, dim, 18);
  const VectorStore store = store_of(values, dim);
  const float* query = values.data();
  EXPECT_THROW(top_k(store.view(), RowSet::range(0, 10), query, 0, by_row), Error);
  for (std::size_t k : {std::size_t{1}, std::size_t{10}, std::size_t{11},
                        std::numeric_limits<std::size_t>::max()}) {
    EXPECT_EQ(top_k(store.view(), RowSet::range(0, 10), query, k, by_row).rows.size(),
              std::min<std::size_t>(k, 10));
  }
  EXPECT_TRUE(top_k(store.view(), RowSet(), query, 5, by_row).rows.empty());
  EXPECT_TRUE(top_k(VectorStore(dim).view(), RowSet::range(0, 9), query, 5, by_row).rows.empty());
  EXPECT_EQ(top_k(store.view(), RowSet::range(8, 1000), query, 5, by_row).rows.size(), 2u);
}

TEST(Search, AQueryWithoutDirectionIsRefused) {
  const VectorStore store = store_of(normal(5, 3, 19), 3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::vector<float>& query :
       std::vector<std::vector<float>>{{0, 0, 0}, {1, nan, 0}, {inf, 0, 0}, {1e-42f, 0, 0}}) {
    EXPECT_THROW(top_k(store.view(), RowSet::range(0, 5), query.data(), 2, by_row), Error);
    EXPECT_THROW(top_k(store.view(), RowSet(), query.data(), 2, by_row), Error);
  }
  const std::vector<float> batch = {1, 0, 0, 0, 0, 0};
  try {
    top_k_batch(store.view(), RowSet::range(0, 5), batch.data(), 2, 2, by_row);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("query 1"), std::string::npos) << error.what();
  }
}

// Rows that a damaged snapshot could bring are never returned and harm no other.
TEST(Search, ANaNRowIsNeverReturned) {
  auto data = std::make_shared<std::vector<float>>(
      std::vector<float>{1, 0, std::numeric_limits<float>::quiet_NaN(), 0, 0, 1, 0.6f, 0.8f});
  const VectorStore store(2, {data->data(), 4, data});
  const std::vector<float> query = {1, 0};
  const auto found = top_k(store.view(), RowSet::range(0, 4), query.data(), 4, by_row).rows;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].row, 0u);
  EXPECT_EQ(found[1].row, 3u);
  EXPECT_EQ(found[2].row, 2u);
}

TEST(ParallelFor, DoesEachTaskOnceAndKeepsWorkersApart) {
  std::vector<int> done(1000);
  std::vector<std::size_t> by_worker(16);
  const unsigned used = parallel_for(1000, 16, [&](unsigned worker, std::size_t task) {
    ++done[task];
    ++by_worker[worker];
  });
  EXPECT_GE(used, 1u);
  EXPECT_LE(used, std::min(16u, max_workers()));
  EXPECT_EQ(std::count(done.begin(), done.end(), 1), 1000);
  EXPECT_EQ(std::accumulate(by_worker.begin(), by_worker.end(), std::size_t{0}), 1000u);
}

TEST(ParallelFor, ThrowsTheFailureOfTheLowestTaskAndStops) {
  std::atomic<int> calls{0};
  try {
    parallel_for(100'000, 8, [&](unsigned, std::size_t task) {
      ++calls;
      if (task >= 10) throw std::runtime_error(std::to_string(task));
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "10");
  }
  EXPECT_LT(calls.load(), 1000);
  parallel_for(0, 8, [&](unsigned, std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace knarr
