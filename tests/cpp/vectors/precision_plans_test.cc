// Every plan over each precision, beside a dull model that sums the stored numbers in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/cpu.h"
#include "vector_rows.h"
#include "vectors/exact.h"
#include "vectors/lower_bound_filter.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/rows/unit_vectors.h"
#include "vectors/search.h"

namespace knarr {
namespace {

constexpr std::array kAll{Precision::kFloat32, Precision::kBfloat16, Precision::kInt8};
constexpr std::array kRounded{Precision::kBfloat16, Precision::kInt8};

std::vector<CpuLevel> levels_here() {
  std::vector<CpuLevel> levels;
  for (CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= cpu_level() && score_kernel(level) != nullptr) levels.push_back(level);
  }
  return levels;
}

Matrix scores_by(const ScoreKernel& kernel, const VectorView& view, const UnitQueries& queries) {
  std::vector<const std::byte*> rows;
  for (Row row = 0; row < view.size(); ++row) rows.push_back(view.data(row));
  Matrix scores(rows.size() * queries.all().size());
  kernel.block(rows.data(), rows.size(), queries.all().data(), queries.all().size(), view.dim(),
               scores.data(), rows.size());
  return scores;
}

// What the query's whole numbers lose, at most.
double query_slack(Precision precision, std::size_t dim) {
  return precision == Precision::kInt8 ? 4e-5 + 1e-8 * static_cast<double>(dim) : 1e-6;
}

TEST(Scan, VariantsOfEveryPrecisionAgreeWithTheStoredVectors) {
  for (const Precision precision : kAll) {
    for (std::size_t dim : {1u, 3u, 7u, 8u, 9u, 15u, 16u, 17u, 24u, 31u, 33u, 100u, 384u, 1001u}) {
      for (std::size_t n : {1u, 2u, 3u, 4u, 7u, 9u, 21u, 130u}) {
        const VectorStore store = store_of(normal(n, dim, 6), dim, precision);
        const Matrix rows = stored(store.view());
        for (std::size_t nq : {1u, 2u, 3u, 4u, 5u}) {
          const Matrix asked = normal(nq, dim, 7);
          const UnitQueries queries(asked.data(), nq, dim, precision, false);
          const Matrix plain =
              scores_by(*score_kernel(CpuLevel::kPlain, precision), store.view(), queries);
          for (std::size_t q = 0; q < nq; ++q) {
            for (std::size_t r = 0; r < n; ++r) {
              ASSERT_NEAR(plain[q * n + r], inner(queries.all()[q], rows.data() + r * dim, dim),
                          query_slack(precision, dim))
                  << name(precision) << " dim " << dim;
            }
          }
          for (CpuLevel level : levels_here()) {
            const Matrix fast = scores_by(*score_kernel(level, precision), store.view(), queries);
            if (precision == Precision::kInt8) {
              ASSERT_EQ(fast, plain);
            }
            for (std::size_t i = 0; i < plain.size(); ++i) {
              ASSERT_NEAR(fast[i], plain[i], 1e-6)
                  << name(precision) << " " << cpu_level_name(level) << " dim " << dim;
            }
          }
        }
      }
    }
  }
}

TEST(Scan, AScoreOfARoundedRowDependsOnItsRowAndQueryOnly) {
  for (const Precision precision : kRounded) {
    for (std::size_t dim : {5u, 16u, 50u, 384u}) {
      const VectorStore store = store_of(normal(150, dim, 8), dim, precision);
      const VectorView view = store.view();
      const Matrix asked = normal(12, dim, 9);
      const UnitQueries queries(asked.data(), 12, dim, precision, false);
      for (CpuLevel level : levels_here()) {
        const ScoreKernel& kernel = *score_kernel(level, precision);
        const Matrix all = scores_by(kernel, view, queries);
        Matrix streamed(150);
        for (std::size_t q = 0; q < 12; ++q) {
          kernel.stream(view.data(0), 150, queries.all()[q], dim, streamed.data());
          for (Row r = 0; r < 150; ++r) {
            const std::byte* row = view.data(r);
            float alone = 0;
            kernel.block(&row, 1, &queries.all()[q], 1, dim, &alone, 1);
            ASSERT_EQ(streamed[r], alone) << cpu_level_name(level) << " dim " << dim;
            ASSERT_EQ(all[q * 150 + r], alone) << cpu_level_name(level) << " dim " << dim;
          }
        }
      }
    }
  }
}

// --- Plans ---------------------------------------------------------------------------------------

// Families of twenty rows near each other, and some equal rows.
Matrix families(std::size_t n, std::size_t dim, unsigned seed) {
  const Matrix heads = normal(n / 20 + 1, dim, seed), apart = normal(n, dim, seed + 1);
  Matrix out(n * dim);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t i = 0; i < dim; ++i) {
      out[r * dim + i] = heads[r / 20 * dim + i] + 0.5f * apart[r * dim + i];
    }
    if (r % 50 == 49)
      std::copy_n(out.begin() + static_cast<std::ptrdiff_t>((r - 1) * dim), dim,
                  out.begin() + static_cast<std::ptrdiff_t>(r * dim));
  }
  return out;
}

RowSet one_of(unsigned each, Row rows, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> mask(rows);
  for (auto& bit : mask) bit = random() % each == 0;
  return RowSet::from_mask(mask);
}

// The scores of the allowed rows in double, best first.
std::vector<double> dull(const Matrix& rows, std::size_t dim, const RowSet& allowed,
                         const float* query) {
  std::vector<double> scores;
  allowed.for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) {
      scores.push_back(inner(rows.data() + row * dim, query, dim));
    }
  });
  std::sort(scores.begin(), scores.end(), std::greater<>());
  return scores;
}

TEST(Search, EveryPlanOverEveryPrecision) {
  for (const Precision precision : kAll) {
    for (const std::size_t dim : {12u, 128u}) {
      const std::size_t n = 6000, k = 10;
      const Matrix values = families(n, dim, 10);
      const VectorStore store = store_of(values, dim, precision);
      const VectorView view = store.view();
      const Matrix rows = stored(view);
      for (const RowSet& allowed :
           {RowSet::range(0, n), RowSet::range(777, 830), RowSet::range(3000, 4000),
            one_of(3, n, 11), RowSet::range(9, 10)}) {
        std::size_t wanted = 0, found_by_scan = 0;
        for (unsigned seed = 0; seed < 12; ++seed) {
          Matrix query(values.begin() + static_cast<std::ptrdiff_t>(seed * 311 * dim),
                       values.begin() + static_cast<std::ptrdiff_t>((seed * 311 + 1) * dim));
          const Matrix noise = normal(1, dim, seed);
          for (std::size_t i = 0; i < dim; ++i) query[i] += 0.2f * noise[i];
          const UnitQueries unit(query.data(), 1, dim, Precision::kFloat32, true);
          const auto best = dull(rows, dim, allowed, unit.all()[0]);
          const double slack = query_slack(precision, dim);
          const SearchHow exactly{PlanWish::kExact, 1.0};
          const auto exact = top_k(view, allowed, query.data(), k, by_row, exactly).rows;
          ASSERT_EQ(exact.size(), std::min(k, best.size()));
          for (std::size_t i = 0; i < exact.size(); ++i) {
            const float* row = rows.data() + exact[i].row * dim;
            ASSERT_NEAR(exact[i].score, best[i], slack) << name(precision) << " rank " << i;
            ASSERT_NEAR(exact[i].score, inner(row, unit.all()[0], dim), slack);
          }
          const auto batch = top_k_batch(view, allowed, query.data(), 1, k, by_row, exactly);
          ASSERT_EQ(batch[0].rows, exact);
          Matrix three = query;
          three.insert(three.end(), values.begin(),
                       values.begin() + static_cast<std::ptrdiff_t>(2 * dim));
          ASSERT_EQ(top_k_batch(view, allowed, three.data(), 3, k, by_row, exactly)[0].rows, exact);
          const auto scanned =
              top_k(view, allowed, query.data(), k, by_row, {PlanWish::kScan, 0.99}).rows;
          ASSERT_EQ(scanned.size(), exact.size());
          wanted += exact.size();
          for (const ScoredRow& each : scanned) {
            found_by_scan += std::find(exact.begin(), exact.end(), each) != exact.end();
          }
        }
        ASSERT_GE(static_cast<double>(found_by_scan), 0.98 * static_cast<double>(wanted))
            << name(precision) << " " << dim;
      }
    }
  }
}

TEST(BoundFilter, OverBfloat16IsTheExactPlanToTheBit) {
  const std::size_t dim = 100, n = 5000;
  Matrix values = families(n, dim, 12);
  std::fill_n(values.begin(), dim, 1.0f);
  const VectorStore store = store_of(values, dim, Precision::kBfloat16);
  const ScoreKernel& kernel = score_kernel(Precision::kBfloat16);
  for (std::size_t q = 0; q < 20; ++q) {
    const UnitQueries unit(values.data() + q * 217 * dim, 1, dim, Precision::kBfloat16, true);
    for (const RowSet& allowed : {RowSet::range(0, n), one_of(4, n, 13)}) {
      for (const std::size_t k : {1u, 10u, 300u}) {
        const auto all = exact_top_k(store.view(), allowed, unit.all(), k, by_row, kernel)[0];
        const auto filtered = lower_bound_filter_top_k(store.view(), allowed, unit.all(), k, by_row,
                                                       kernel, quantised_cosines())
                                  .front();
        ASSERT_EQ(filtered.rows, all);
      }
    }
  }
}

// 60,000 rows of 256 take several threads in every precision.
TEST(Search, ThreadsChangeNothingInAnyPrecision) {
  const std::size_t dim = 256, n = 60'000;
  const Matrix values = families(n, dim, 14);
  for (const Precision precision : kRounded) {
    const VectorStore store = store_of(values, dim, precision);
    const SearchHow exactly{PlanWish::kExact, 1.0};
    const float* query = values.data() + 999 * dim;
    std::vector<ScoredRow> merged;
    for (Row begin = 0; begin < n; begin += 2000) {
      const RowSet piece = RowSet::range(begin, begin + 2000);
      const auto part = top_k(store.view(), piece, query, 50, by_row, exactly).rows;
      merged.insert(merged.end(), part.begin(), part.end());
    }
    std::sort(merged.begin(), merged.end(), [](const ScoredRow& a, const ScoredRow& b) {
      return a.score != b.score ? a.score > b.score : a.row < b.row;
    });
    merged.resize(50);
    EXPECT_EQ(top_k(store.view(), RowSet::range(0, n), query, 50, by_row, exactly).rows, merged);
  }
}

}  // namespace
}  // namespace knarr
