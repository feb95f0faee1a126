// Quantised rows beside their definition, and the lower-bound filter beside the plan that scores
// every row.
#include "vectors/lower_bound_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "base/cpu.h"
#include "vector_rows.h"
#include "vectors/exact.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/search.h"

namespace knarr {
namespace {

// Unit vectors of many sorts.
Matrix rows_of_many_sorts(std::size_t n, std::size_t dim, unsigned seed) {
  Matrix values = normal(n, dim, seed);
  for (std::size_t r = 0; r < n; ++r) {
    float* row = values.data() + r * dim;
    if (r % 7 == 1) std::fill(row, row + dim, 1.0f);                 // all alike
    if (r % 7 == 2) std::fill(row + 1, row + dim, 0.0f);             // one number
    if (r % 7 == 3) row[r % dim] = 40;                               // one outlier
    if (r % 7 == 4) std::copy_n(values.data() + 4 * dim, dim, row);  // copies of row 4
  }
  return stored(store_of(values, dim).view());
}

// Rows made short, one after the other.
struct QuantisedMatrix {
  QuantisedMatrix(const Matrix& rows, std::size_t dim)
      : shape(dim), memory(rows.size() / dim * shape.size_bytes) {
    for (std::size_t r = 0; r < rows.size() / dim; ++r) {
      data.push_back(memory.data() + r * shape.size_bytes);
      quantise({rows.data() + r * dim, dim}, shape, memory.data() + r * shape.size_bytes);
    }
  }

  QuantisedShape shape;
  std::vector<std::byte> memory;
  std::vector<const std::byte*> data;
};

TEST(QuantisedRows, TheBoundHoldsForEveryRow) {
  for (std::size_t dim : {1u, 2u, 7u, 8u, 9u, 31u, 32u, 33u, 64u, 96u, 384u, 600u, 1100u, 5000u}) {
    const std::size_t n = 60;
    const Matrix rows = rows_of_many_sorts(n, dim, 1);
    const Matrix queries = rows_of_many_sorts(n, dim, 2);
    const QuantisedMatrix made(rows, dim);
    for (std::size_t q = 0; q < n; ++q) {
      const float* query = queries.data() + q * dim;
      const QuantisedQuery quantised_query({query, dim}, made.shape);
      std::vector<float> cosines(n), slacks(n);
      const QueryBytes side = quantised_query.bytes();
      quantised_cosines()(made.data.data(), n, &side, 1, made.shape.numbers, cosines.data(), n,
                          slacks.data());
      for (std::size_t r = 0; r < n; ++r) {
        double exact = 0;
        for (std::size_t i = 0; i < dim; ++i) exact += double{rows[r * dim + i]} * query[i];
        const auto score = static_cast<float>(exact);
        ASSERT_EQ(slacks[r], made.shape.slack(made.data[r]));
        ASSERT_LE(score, quantised_query.best(cosines[r], slacks[r]))
            << dim << " " << r << " " << q;
        ASSERT_GE(score, quantised_query.worst(cosines[r] - slacks[r]))
            << dim << " " << r << " " << q;
        ASSERT_TRUE(quantised_query.bound(score).is_within(cosines[r], slacks[r]))
            << dim << " row " << r << " query " << q;
        if (dim < 64 || r % 7 != 0) continue;
        const float apart = quantised_query.best(cosines[r], slacks[r]) -
                            quantised_query.worst(cosines[r] - slacks[r]);
        ASSERT_LT(apart, 0.1) << dim;  // worth having
        ASSERT_FALSE(quantised_query.bound(score + 0.05f).is_within(cosines[r], slacks[r])) << dim;
      }
    }
  }
}

// A bound on a score is never stricter than what a row has at most, whatever the angles.
TEST(QuantisedRows, BoundsAgreeOnEveryAngle) {
  const std::size_t dim = 64;
  const Matrix queries = rows_of_many_sorts(7, dim, 3);
  for (std::size_t q = 0; q < 7; ++q) {
    const QuantisedQuery query({queries.data() + q * dim, dim}, QuantisedShape(dim));
    for (float slack = 0; slack < 0.5f; slack = 2 * slack + 1e-4f) {
      const float most = std::sqrt(1 + slack * slack);  // one over the cosine of the row's angle
      for (int i = -100; i <= 100; ++i) {
        const float cosine = most * static_cast<float>(i) / 100;
        const float best = query.best(cosine, slack);
        const float worst = query.worst(cosine - slack);
        ASSERT_GE(best, worst) << cosine << " " << slack;
        ASSERT_TRUE(query.bound(best - 2e-5f).is_within(cosine, slack)) << cosine << " " << slack;
        if (best > 0.9f || best < -0.4f) continue;
        ASSERT_FALSE(query.bound(best + 1e-3f).is_within(cosine, slack)) << cosine << " " << slack;
      }
    }
    for (const float score : {-2.0f, -1.0f, 1.0f, 2.0f}) {
      EXPECT_TRUE(query.bound(score).is_within(0, kUnboundedSlack)) << score;
    }
    EXPECT_GT(query.best(0, kUnboundedSlack), 1);
  }
}

TEST(QuantisedRows, ARowThatIsNoUnitVectorIsWithinEveryBound) {
  const std::size_t dim = 64;
  for (const float x : {0.0f, 0.2f, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    Matrix row(dim, 0.125f);
    row[7] = x;
    const QuantisedMatrix made(row, dim);
    EXPECT_EQ(made.shape.scale(made.data[0]), 0);
    EXPECT_EQ(made.shape.slack(made.data[0]), kUnboundedSlack);
  }
}

TEST(QuantisedRows, HadamardRotateIsAHadamardMatrixAndItsOwnInverse) {
  for (const std::size_t dim : {32u, 64u, 96u, 128u, 384u, 416u}) {
    const Matrix values = normal(1, dim, 20);
    Matrix found = values;
    hadamard_rotate(found);
    double before = 0, after = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      before += double{values[i]} * values[i];
      after += double{found[i]} * found[i];
    }
    EXPECT_NEAR(after, before, 1e-4);
    for (std::size_t i = 0; i < std::min<std::size_t>(dim, 128) && dim >= 128; ++i) {
      double sum = 0;
      for (std::size_t j = i % 8; j < 128; j += 8) {
        sum += (std::popcount(i / 8 & j / 8) % 2 == 0 ? 0.25 : -0.25) * values[j];
      }
      ASSERT_NEAR(found[i], sum, 1e-5);
    }
    hadamard_rotate(found);
    for (std::size_t i = 0; i < dim; ++i) ASSERT_NEAR(found[i], values[i], 1e-5);
  }
}

// What AVX2 relies on.
TEST(QuantisedRows, NeighboursAreSmallTogether) {
  for (const std::size_t dim : {1u, 33u, 64u, 384u, 1000u}) {
    const QuantisedMatrix made(rows_of_many_sorts(200, dim, 12), dim);
    for (const std::byte* row : made.data) {
      const auto* numbers = reinterpret_cast<const std::int8_t*>(row);
      int sum = 0;
      for (std::size_t i = 0; i < made.shape.numbers; i += 2) {
        ASSERT_LE(std::abs(numbers[i]) + std::abs(numbers[i + 1]), 128);
        sum += numbers[i] + numbers[i + 1];
      }
      std::int32_t centre;
      std::memcpy(&centre, row + made.shape.numbers + 8, sizeof(centre));
      ASSERT_EQ(centre, 128 * sum);
    }
  }
}

std::vector<QuantisedCosines> variants_here() {
  std::vector<QuantisedCosines> variants = {kQuantisedPlain};
  for (const CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= cpu_level() && quantised_cosines(level) != variants.back()) {
      variants.push_back(quantised_cosines(level));
    }
  }
  return variants;
}

TEST(QuantisedRows, VariantsAgreeForManyQueries) {
  std::mt19937 random(8);
  for (std::size_t dim : {1u, 31u, 64u, 96u, 100u, 384u, 1000u, 1024u}) {
    const QuantisedShape shape(dim);
    const Matrix values = rows_of_many_sorts(50, dim, 9);
    std::vector<QuantisedQuery> queries;
    std::vector<QueryBytes> query_bytes;
    for (std::size_t q = 0; q < 50; ++q) {
      queries.emplace_back(std::span(values).subspan(q * dim, dim), shape);
    }
    for (const QuantisedQuery& query : queries) query_bytes.push_back(query.bytes());
    for (int trial = 0; trial < 12; ++trial) {
      const std::size_t n = 1 + random() % 40, nq = 1 + random() % 50, stride = n + random() % 3;
      std::vector<std::byte> memory(100 * shape.size_bytes);
      std::vector<const std::byte*> data;
      for (std::size_t r = 0; r < n; ++r) {  // in order, or at random
        std::byte* at = memory.data() + (trial % 2 == 0 ? r : r * 37 % 100) * shape.size_bytes;
        quantise({values.data() + random() % 50 * dim, dim}, shape, at);
        data.push_back(at);
      }
      std::vector<float> plain(nq * stride, -7), slacks(n, -7);
      kQuantisedPlain(data.data(), n, query_bytes.data(), nq, shape.numbers, plain.data(), stride,
                      slacks.data());
      for (const QuantisedCosines variant : variants_here()) {
        std::vector<float> cosines(nq * stride, -7), again(n, -7);
        variant(data.data(), n, query_bytes.data(), nq, shape.numbers, cosines.data(), stride,
                again.data());
        ASSERT_EQ(cosines, plain) << dim << " rows " << n << " queries " << nq;
        ASSERT_EQ(again, slacks);
        variant(data.data(), n, query_bytes.data(), nq, shape.numbers, cosines.data(), stride,
                nullptr);
        ASSERT_EQ(cosines, plain);
      }
    }
  }
}

// The largest numbers there are, in every place: sums stay within 16 bits, and within 32.
TEST(QuantisedRows, SumsDoNotOverflow) {
  for (std::size_t dim : {384u, 517u, 4096u, 65536u}) {
    const QuantisedShape shape(dim);
    std::vector<std::byte> row(shape.size_bytes);
    auto* numbers = reinterpret_cast<std::int8_t*>(row.data());
    for (const int size : {128, -128}) {
      std::int32_t centre = 0;
      for (std::size_t i = 0; i < shape.numbers; ++i) {
        numbers[i] = static_cast<std::int8_t>(size / 2);
        centre += 128 * numbers[i];
      }
      const float one = 1;
      std::memcpy(row.data() + shape.numbers, &one, sizeof(one));
      std::memcpy(row.data() + shape.numbers + 8, &centre, sizeof(centre));
      const std::byte* data = row.data();
      for (const int number : {1, 255}) {
        std::vector<std::uint8_t> memory(shape.numbers + 64, static_cast<std::uint8_t>(number));
        void* at = memory.data();
        std::size_t room = memory.size();
        std::align(64, shape.numbers, at, room);
        const QueryBytes side{static_cast<const std::uint8_t*>(at), 1};
        const auto wanted =
            static_cast<float>(static_cast<double>(shape.numbers) * size / 2 * (number - 128));
        for (const QuantisedCosines variant : variants_here()) {
          float found = 0;
          variant(&data, 1, &side, 1, shape.numbers, &found, 1, nullptr);
          EXPECT_EQ(found, wanted) << dim;
        }
      }
    }
  }
}

RowSet one_of(unsigned each, Row rows, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> mask(rows);
  for (auto& bit : mask) bit = random() % each == 0;
  return RowSet::from_mask(mask);
}

Reranked filter_one(const VectorView& view, const RowSet& allowed, const float* query,
                    std::size_t k) {
  return lower_bound_filter_top_k(view, allowed, {&query, 1}, k, by_row, score_kernel(),
                                  quantised_cosines())
      .front();
}

TEST(LowerBoundFilter, IsTheExactPlanToTheBit) {
  for (std::size_t dim : {64u, 100u, 384u}) {
    const std::size_t n = 6000;
    const Matrix values = rows_of_many_sorts(n, dim, 3);
    const VectorStore store = store_of(values, dim);
    const VectorView view = store.view();
    for (unsigned seed = 0; seed < 15; ++seed) {
      Matrix query(values.begin() + static_cast<std::ptrdiff_t>(seed * 41 * dim),
                   values.begin() + static_cast<std::ptrdiff_t>((seed * 41 + 1) * dim));
      if (seed % 3 == 2) query = rows_of_many_sorts(1, dim, seed);
      const float* pointer = query.data();
      for (const RowSet& allowed : {RowSet::range(0, n), RowSet::range(7, 8), one_of(3, n, 4)}) {
        for (const std::size_t k : {1u, 10u, 300u, 5000u, 10'000u}) {
          const auto exact =
              exact_top_k(view, allowed, {&pointer, 1}, k, by_row, score_kernel()).front();
          const auto found = filter_one(view, allowed, pointer, k);
          ASSERT_EQ(found.rows, exact) << dim << " k " << k << " seed " << seed;
        }
      }
    }
  }
}

// Many queries share blocks of other sizes than one, groups, and threads where there is enough to
// do.
TEST(LowerBoundFilter, ABatchEqualsItsQueriesAskedAlone) {
  const std::size_t dim = 100, n = 3000;
  const Matrix values = rows_of_many_sorts(n, dim, 10);
  const VectorStore store = store_of(values, dim);
  for (const RowSet& allowed : {RowSet::range(0, n), RowSet::range(11, 1043), one_of(3, n, 11)}) {
    for (const std::size_t nq : {2u, 3u, 5u, 47u, 48u, 49u, 100u}) {
      std::vector<const float*> queries;
      for (std::size_t q = 0; q < nq; ++q) queries.push_back(values.data() + q * 29 % n * dim);
      for (const std::size_t k : {1u, 10u, 40u, 200u}) {
        const auto together = lower_bound_filter_top_k(store.view(), allowed, queries, k, by_row,
                                                       score_kernel(), quantised_cosines());
        const auto exact = exact_top_k(store.view(), allowed, queries, k, by_row, score_kernel());
        for (std::size_t q = 0; q < nq; ++q) {
          const Reranked alone = filter_one(store.view(), allowed, queries[q], k);
          ASSERT_EQ(together[q].rows, alone.rows) << nq << " " << q;
          ASSERT_EQ(together[q].rows, exact[q]) << nq << " " << q;
        }
      }
    }
  }
}

TEST(LowerBoundFilter, LooksAtFewRows) {
  const std::size_t dim = 384, n = 5000;
  const Matrix values = normal(n, dim, 5);
  const VectorStore store = store_of(values, dim);
  const auto found = top_k(store.view(), RowSet::range(0, n), values.data(), 10, by_row);
  EXPECT_STREQ(found.plan, "exact");
  EXPECT_EQ(found.explanation.rows_scanned, n);
  EXPECT_LT(found.explanation.rows_reranked, 300u);
  EXPECT_GE(found.explanation.rows_reranked, 10u);
}

// Threads, and adopted rows in front of others.
TEST(LowerBoundFilter, ThreadsAndAdoptedRowsChangeNothing) {
  const std::size_t dim = 512, n = 40'000;
  auto values = std::make_shared<Matrix>(normal(n, dim, 6));
  for (std::size_t r = 0; r < n; ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < dim; ++i) sum += std::pow(double{(*values)[r * dim + i]}, 2);
    for (std::size_t i = 0; i < dim; ++i) {
      (*values)[r * dim + i] = static_cast<float>((*values)[r * dim + i] / std::sqrt(sum));
    }
  }
  VectorStore adopting(dim, {values->data(), 30'000, values});
  adopting.append(std::span(*values).subspan(30'000 * dim), 10'000);
  ASSERT_GT(n * adopting.view().quantised_shape().size_bytes, 2 * kBytesPerWorker);
  const RowSet allowed = RowSet::range(0, n);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const float* query = values->data() + seed * 9001 * dim;
    const auto exact =
        exact_top_k(adopting.view(), allowed, {&query, 1}, 50, by_row, score_kernel()).front();
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(filter_one(adopting.view(), allowed, query, 50).rows, exact);
    }
  }
}

TEST(LowerBoundFilter, RowsThatAreNotFiniteAreNeverReturnedAndHarmNoOther) {
  const std::size_t dim = 64, n = 400;
  auto values = std::make_shared<Matrix>(normal(n, dim, 7));
  for (float& x : *values) x /= 8;
  (*values)[5 * dim] = std::numeric_limits<float>::quiet_NaN();
  (*values)[6 * dim] = -std::numeric_limits<float>::infinity();
  const VectorStore store(dim, {values->data(), static_cast<Row>(n), values});
  Matrix query(values->begin() + 9 * dim, values->begin() + 10 * dim);
  for (float& x : query) x = std::abs(x);
  const float* pointer = query.data();
  const RowSet allowed = RowSet::range(0, n);
  const auto exact =
      exact_top_k(store.view(), allowed, {&pointer, 1}, 20, by_row, score_kernel()).front();
  EXPECT_EQ(filter_one(store.view(), allowed, pointer, 20).rows, exact);
}

}  // namespace
}  // namespace knarr
