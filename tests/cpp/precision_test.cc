// Vectors in each precision: what is stored, beside its definition; and every plan over it, beside
// a dull twin that sums the stored numbers in double.
#include "vectors/precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/cpu.h"
#include "base/error.h"
#include "vectors/exact.h"
#include "vectors/row_format.h"
#include "vectors/scan.h"
#include "vectors/search.h"
#include "vectors/sieve.h"
#include "vectors/spread.h"
#include "vectors/unit_queries.h"

namespace knarr {
namespace {

constexpr std::array kAll{Precision::kFloat32, Precision::kBfloat16, Precision::kInt8};
constexpr std::array kRounded{Precision::kBfloat16, Precision::kInt8};
constexpr auto by_row = [](Row a, Row b) { return a < b; };

using Matrix = std::vector<float>;

Matrix normal(std::size_t n, std::size_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> number;
  Matrix out(n * dim);
  for (float& x : out) x = number(random);
  return out;
}

VectorStore store_of(const Matrix& values, std::size_t dim, Precision precision) {
  VectorStore store(dim, precision);
  store.append(values, values.size() / dim);
  return store;
}

// The vectors that rows stand for.
Matrix stored(const VectorView& view) {
  Matrix out(view.size() * view.dim());
  for (Row row = 0; row < view.size(); ++row) {
    float* at = out.data() + row * view.dim();
    const float* vector = view.format().floats(view.data(row), at);
    if (vector != at) std::copy_n(vector, view.dim(), at);
  }
  return out;
}

double inner(const float* a, const float* b, std::size_t dim) {
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) sum += double{a[i]} * b[i];
  return sum;
}

TEST(Precision, HasAName) {
  for (const Precision each : kAll) EXPECT_EQ(precision_named(name(each)), each);
  for (const char* word : {"", "float", "FLOAT32", "int4"}) EXPECT_FALSE(precision_named(word));
}

TEST(RowFormat, Bfloat16RoundsToTheNearestTiesToEven) {
  const RowFormat format(Precision::kBfloat16, 6);
  EXPECT_EQ(format.row_bytes(), 16u);
  const std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
  const auto near = [&](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  const Matrix values = {near(one + 0x7fff),  near(one + 0x8000),  near(one + 0x8001),
                         near(one + 0x18000), -near(one + 0x8001), 0};
  alignas(4) std::array<std::byte, 16> row;
  format.store(values.data(), row.data());
  Matrix found(6), numbers;
  format.floats(row.data(), found.data());
  EXPECT_NEAR(inner(found.data(), found.data(), 6), 1, 1e-6);
  const auto* halves = reinterpret_cast<const std::uint16_t*>(row.data());
  for (std::size_t i = 0; i < 6; ++i) numbers.push_back(near(std::uint32_t{halves[i]} << 16));
  const float next = near(one + 0x10000), after = near(one + 0x20000);
  EXPECT_EQ(numbers, (Matrix{1, 1, next, after, -next, 0}));
  const double all = std::sqrt(inner(numbers.data(), numbers.data(), 6));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], numbers[i] / all, 1e-7);
}

TEST(Spread, IsAHadamardMatrixAndItsOwnInverse) {
  const Matrix values = normal(1, 48, 20);
  Matrix found = values;
  spread(found);
  for (std::size_t i = 0; i < 48; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < kSpread; ++j) {
      const bool is_minus = std::popcount(i % kSpread & j) % 2 != 0;
      sum += (is_minus ? -0.25 : 0.25) * values[i / kSpread * kSpread + j];
    }
    ASSERT_NEAR(found[i], sum, 1e-6);
  }
  spread(found);
  for (std::size_t i = 0; i < 48; ++i) ASSERT_NEAR(found[i], values[i], 1e-6);
}

TEST(RowFormat, Int8HasLengthOneAndAStepForAllNumbers) {
  for (std::size_t dim : {1u, 3u, 31u, 32u, 33u, 384u, 1000u}) {
    const RowFormat format(Precision::kInt8, dim);
    const ShortShape shape(dim);
    ASSERT_EQ(format.row_bytes(), shape.size_bytes);
    const Matrix values = stored(store_of(normal(20, dim, 1), dim, Precision::kFloat32).view());
    std::vector<std::byte> row(shape.size_bytes, std::byte{7});
    Matrix found(dim);
    for (std::size_t r = 0; r < 20; ++r) {
      format.store(values.data() + r * dim, row.data());
      format.floats(row.data(), found.data());
      const double length2 = inner(found.data(), found.data(), dim);
      ASSERT_NEAR(length2, 1, dim % kSpread == 0 ? 1e-6 : 0.02);
      ASSERT_EQ(shape.slack(row.data()), 0);
      Matrix wanted(shape.numbers, 0.0f);
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(r * dim), dim, wanted.begin());
      spread(wanted);
      float most = 0;
      for (const float x : wanted) most = std::max(most, std::abs(x));
      double sum = 0;
      for (std::size_t i = 0; i < shape.numbers; ++i) {
        const int number = reinterpret_cast<const std::int8_t*>(row.data())[i];
        ASSERT_LE(std::abs(number - wanted[i] / most * 127), 0.501) << dim;
        sum += number * number;
      }
      ASSERT_NEAR(shape.step(row.data()) * std::sqrt(sum), 1, 1e-6);
    }
  }
}

TEST(RowFormat, WhatIsStoredIsSoundAndNearWhatCame) {
  for (const Precision precision : kAll) {
    for (std::size_t dim : {1u, 2u, 7u, 64u, 384u, 5000u, 65'536u}) {
      const std::size_t n = dim > 10'000 ? 2 : 30;
      Matrix values = normal(n, dim, 2);
      std::fill_n(values.begin(), dim, 1.0f);  // all alike
      if (n > 2) std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(dim) + 1, dim - 1, 0.0f);
      const VectorStore store = store_of(values, dim, precision);
      const VectorView view = store.view();
      const Matrix kept = stored(view);
      for (Row row = 0; row < n; ++row) {
        ASSERT_TRUE(view.format().is_sound(view.data(row))) << name(precision) << " " << dim;
        const float* came = values.data() + row * dim;
        const float* now = kept.data() + row * dim;
        const double cosine =
            inner(came, now, dim) / std::sqrt(inner(came, came, dim) * inner(now, now, dim));
        ASSERT_GT(cosine, precision == Precision::kInt8 ? 0.999 : 0.99999) << dim;
      }
    }
  }
}

TEST(RowFormat, WhatIsNoVectorIsNotSound) {
  const std::size_t dim = 40;
  for (const Precision precision : kAll) {
    const VectorStore store = store_of(normal(1, dim, 3), dim, precision);
    const RowFormat format = store.view().format();
    std::vector<std::byte> row(store.view().data(0), store.view().data(0) + format.row_bytes());
    EXPECT_TRUE(format.is_sound(row.data()));
    EXPECT_FALSE(format.is_sound(std::vector<std::byte>(row.size()).data()));
    EXPECT_FALSE(format.is_sound(std::vector<std::byte>(row.size(), std::byte{0xff}).data()));
    if (precision != Precision::kInt8) continue;
    const ShortShape shape(dim);
    const float step = shape.step(row.data());
    for (const float wrong : {-step, 2 * step, 0.0f, std::nanf("")}) {
      std::memcpy(row.data() + shape.numbers, &wrong, sizeof(wrong));
      EXPECT_FALSE(format.is_sound(row.data())) << wrong;
    }
    std::memcpy(row.data() + shape.numbers, &step, sizeof(step));
    row[1] = std::byte{0x80};  // -128
    EXPECT_FALSE(format.is_sound(row.data()));
  }
}

TEST(VectorStore, EveryPrecisionRefusesWhatHasNoDirection) {
  for (const Precision precision : kAll) {
    VectorStore store(3, precision);
    for (const Matrix& bad :
         std::vector<Matrix>{{0, 0, 0}, {1, std::nanf(""), 0}, {INFINITY, 0, 0}, {1e-42f, 0, 0}}) {
      EXPECT_THROW(store.append(bad, 1), Error);
    }
    // However short: it is made a unit vector before it is rounded.
    store.append(Matrix{2e-38f, 0, 0, 0, 3e38f, -3e38f}, 2);
    const Matrix kept = stored(store.view());
    EXPECT_EQ(kept[0], 1);
    EXPECT_NEAR(kept[4], std::sqrt(0.5), 2e-3);
    EXPECT_EQ(kept[5], -kept[4]);
  }
}

TEST(VectorStore, RoundedRowsTakeFewerBytes) {
  const std::size_t dim = 384, n = 3000;
  const Matrix values = normal(n, dim, 4);
  const std::size_t float_bytes = store_of(values, dim, Precision::kFloat32).size_bytes();
  EXPECT_EQ(store_of(values, dim, Precision::kBfloat16).size_bytes(), float_bytes / 2 + n * 4);
  const VectorStore store = store_of(values, dim, Precision::kInt8);
  EXPECT_EQ(store.size_bytes(), n * 392u);
  EXPECT_FALSE(store.view().has_short_rows());
}

TEST(VectorStore, RowsOfSomebodyElseStandInFront) {
  for (const Precision precision : kAll) {
    for (const std::size_t dim : {6u, 70u}) {
      const Matrix values = normal(1500, dim, 5);
      const VectorStore whole = store_of(values, dim, precision);
      const std::size_t row_bytes = whole.view().format().row_bytes();
      auto front = std::make_shared<std::vector<std::byte>>(
          whole.view().data(0), whole.view().data(0) + 1000 * row_bytes);
      VectorStore store(dim, {front->data(), 1000, front, precision});
      store.append({values.data() + 1000 * dim, 500 * dim}, 500);
      EXPECT_EQ(store.view().format().precision(), precision);
      EXPECT_EQ(stored(store.view()), stored(whole.view()));
      const CodeView codes = store.view().codes();
      ASSERT_EQ(codes.chunks(), dim < kLeastCodedDim ? 0u : 2u);
      for (std::size_t c = 0; c < codes.chunks(); ++c) {
        const std::size_t size = codes.coder().shape().size_bytes;
        EXPECT_EQ(std::memcmp(codes.chunk(c).data, whole.view().codes().chunk(c).data, size), 0);
      }
      if (!store.view().has_short_rows()) continue;
      for (Row row = 0; row < 1500; ++row) {
        ASSERT_EQ(std::memcmp(store.view().short_row(row), whole.view().short_row(row),
                              store.view().short_shape().size_bytes),
                  0);
      }
    }
  }
}

// --- Kernels -------------------------------------------------------------------------------------

std::vector<CpuLevel> levels_here() {
  std::vector<CpuLevel> levels;
  for (CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= cpu_level() && scan_kernel(level) != nullptr) levels.push_back(level);
  }
  return levels;
}

Matrix scores_by(const ScanKernel& kernel, const VectorView& view, const UnitQueries& queries) {
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

TEST(Scan, TwinsOfEveryPrecisionAgreeWithTheStoredVectors) {
  for (const Precision precision : kAll) {
    for (std::size_t dim : {1u, 3u, 7u, 8u, 9u, 15u, 16u, 17u, 24u, 31u, 33u, 100u, 384u, 1001u}) {
      for (std::size_t n : {1u, 2u, 3u, 4u, 7u, 9u, 21u, 130u}) {
        const VectorStore store = store_of(normal(n, dim, 6), dim, precision);
        const Matrix rows = stored(store.view());
        for (std::size_t nq : {1u, 2u, 3u, 4u, 5u}) {
          const Matrix asked = normal(nq, dim, 7);
          const UnitQueries queries(asked.data(), nq, dim, precision, false);
          const Matrix plain =
              scores_by(*scan_kernel(CpuLevel::kPlain, precision), store.view(), queries);
          for (std::size_t q = 0; q < nq; ++q) {
            for (std::size_t r = 0; r < n; ++r) {
              ASSERT_NEAR(plain[q * n + r], inner(queries.all()[q], rows.data() + r * dim, dim),
                          query_slack(precision, dim))
                  << name(precision) << " dim " << dim;
            }
          }
          for (CpuLevel level : levels_here()) {
            const Matrix fast = scores_by(*scan_kernel(level, precision), store.view(), queries);
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
        const ScanKernel& kernel = *scan_kernel(level, precision);
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

TEST(Sieve, OverBfloat16IsTheExactPlanToTheBit) {
  const std::size_t dim = 100, n = 5000;
  Matrix values = families(n, dim, 12);
  std::fill_n(values.begin(), dim, 1.0f);
  const VectorStore store = store_of(values, dim, Precision::kBfloat16);
  const ScanKernel& kernel = scan_kernel(Precision::kBfloat16);
  for (std::size_t q = 0; q < 20; ++q) {
    const UnitQueries unit(values.data() + q * 217 * dim, 1, dim, Precision::kBfloat16, true);
    for (const RowSet& allowed : {RowSet::range(0, n), one_of(4, n, 13)}) {
      for (const std::size_t k : {1u, 10u, 300u}) {
        const auto all = exact_top_k(store.view(), allowed, unit.all(), k, by_row, kernel)[0];
        const auto sieved =
            sieve_top_k(store.view(), allowed, unit.all(), k, by_row, kernel, short_products())
                .front();
        ASSERT_EQ(sieved.rows, all);
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
