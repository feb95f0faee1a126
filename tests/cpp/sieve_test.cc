// Short rows beside their definition, and the sieve beside the plan that scores every row.
#include "vectors/sieve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "base/cpu.h"
#include "vector_rows.h"
#include "vectors/exact.h"
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

TEST(ShortRows, TheBoundHoldsForEveryRow) {
  for (std::size_t dim : {1u, 2u, 7u, 8u, 9u, 31u, 32u, 33u, 64u, 384u, 600u, 1100u, 5000u}) {
    const ShortShape shape(dim);
    const std::size_t n = 60;
    const Matrix rows = rows_of_many_sorts(n, dim, 1);
    const Matrix queries = rows_of_many_sorts(n, dim, 2);
    std::vector<std::byte> memory(n * shape.size_bytes);
    std::vector<const std::byte*> data;
    for (std::size_t r = 0; r < n; ++r) {
      data.push_back(memory.data() + r * shape.size_bytes);
      shorten({rows.data() + r * dim, dim}, shape, memory.data() + r * shape.size_bytes);
    }
    for (std::size_t q = 0; q < n; ++q) {
      const float* query = queries.data() + q * dim;
      const ShortQuery short_query({query, dim}, shape);
      std::vector<std::int32_t> products(n);
      const std::int16_t* numbers = short_query.numbers();
      short_products()(data.data(), n, &numbers, 1, shape.numbers, products.data(), n);
      for (std::size_t r = 0; r < n; ++r) {
        double exact = 0;
        for (std::size_t i = 0; i < dim; ++i) exact += double{rows[r * dim + i]} * query[i];
        const float estimate =
            static_cast<float>(products[r]) * (shape.step(data[r]) * short_query.step());
        const float error = shape.slack(data[r]) * short_query.length() + short_query.error();
        ASSERT_LE(std::abs(exact - estimate), error) << dim << " row " << r << " query " << q;
        if (dim < 64 || r % 7 != 0) continue;
        ASSERT_LT(error, 0.05) << dim;  // worth having
      }
    }
  }
}

std::vector<ShortProducts> twins_here() {
  std::vector<ShortProducts> twins = {kShortPlain};
  for (const CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= cpu_level() && short_products(level) != twins.back()) {
      twins.push_back(short_products(level));
    }
  }
  return twins;
}

TEST(ShortRows, TwinsAgreeForManyQueries) {
  std::mt19937 random(8);
  for (std::size_t dim : {1u, 31u, 64u, 96u, 100u, 384u, 1000u, 1024u}) {
    const ShortShape shape(dim);
    const Matrix values = rows_of_many_sorts(50, dim, 9);
    std::vector<ShortQuery> queries;
    std::vector<const std::int16_t*> numbers;
    for (std::size_t q = 0; q < 50; ++q) {
      queries.emplace_back(std::span(values).subspan(q * dim, dim), shape);
    }
    for (const ShortQuery& query : queries) numbers.push_back(query.numbers());
    for (int trial = 0; trial < 12; ++trial) {
      const std::size_t n = 1 + random() % 40, nq = 1 + random() % 50, stride = n + random() % 3;
      std::vector<std::byte> memory(100 * shape.size_bytes);
      std::vector<const std::byte*> data;
      for (std::size_t r = 0; r < n; ++r) {  // in order, or here and there
        std::byte* at = memory.data() + (trial % 2 == 0 ? r : r * 37 % 100) * shape.size_bytes;
        shorten({values.data() + random() % 50 * dim, dim}, shape, at);
        data.push_back(at);
      }
      std::vector<std::int32_t> plain(nq * stride, -7);
      kShortPlain(data.data(), n, numbers.data(), nq, shape.numbers, plain.data(), stride);
      for (const ShortProducts twin : twins_here()) {
        std::vector<std::int32_t> products(nq * stride, -7);
        twin(data.data(), n, numbers.data(), nq, shape.numbers, products.data(), stride);
        ASSERT_EQ(products, plain) << dim << " rows " << n << " queries " << nq;
      }
    }
  }
}

// The largest numbers there are, in every place: sums stay within 32 bits.
TEST(ShortRows, SumsDoNotOverflow) {
  for (std::size_t dim : {384u, 517u, 4096u, 65536u}) {
    const ShortShape shape(dim);
    const Matrix row(dim, 1 / std::sqrt(static_cast<float>(dim)));
    std::vector<std::byte> memory(shape.size_bytes);
    shorten(row, shape, memory.data());
    const ShortQuery query(row, shape);
    const std::byte* data = memory.data();
    std::int32_t product = 0;
    const std::int16_t* numbers = query.numbers();
    short_products()(&data, 1, &numbers, 1, shape.numbers, &product, 1);
    EXPECT_NEAR(static_cast<float>(product) * shape.step(data) * query.step(), 1, 0.01) << dim;
  }
}

RowSet one_of(unsigned each, Row rows, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> mask(rows);
  for (auto& bit : mask) bit = random() % each == 0;
  return RowSet::from_mask(mask);
}

Reranked sieve_one(const VectorView& view, const RowSet& allowed, const float* query,
                   std::size_t k) {
  return sieve_top_k(view, allowed, {&query, 1}, k, by_row, scan_kernel(), short_products())
      .front();
}

TEST(Sieve, IsTheExactPlanToTheBit) {
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
              exact_top_k(view, allowed, {&pointer, 1}, k, by_row, scan_kernel()).front();
          const auto found = sieve_one(view, allowed, pointer, k);
          ASSERT_EQ(found.rows, exact) << dim << " k " << k << " seed " << seed;
        }
      }
    }
  }
}

// Many queries share blocks of other sizes than one, groups, and threads where there is enough to
// do.
TEST(Sieve, ABatchEqualsItsQueriesAskedAlone) {
  const std::size_t dim = 100, n = 3000;
  const Matrix values = rows_of_many_sorts(n, dim, 10);
  const VectorStore store = store_of(values, dim);
  for (const RowSet& allowed : {RowSet::range(0, n), RowSet::range(11, 1043), one_of(3, n, 11)}) {
    for (const std::size_t nq : {2u, 3u, 5u, 47u, 48u, 49u, 100u}) {
      std::vector<const float*> queries;
      for (std::size_t q = 0; q < nq; ++q) queries.push_back(values.data() + q * 29 % n * dim);
      for (const std::size_t k : {1u, 10u, 40u, 200u}) {
        const auto together =
            sieve_top_k(store.view(), allowed, queries, k, by_row, scan_kernel(), short_products());
        const auto exact = exact_top_k(store.view(), allowed, queries, k, by_row, scan_kernel());
        for (std::size_t q = 0; q < nq; ++q) {
          const Reranked alone = sieve_one(store.view(), allowed, queries[q], k);
          ASSERT_EQ(together[q].rows, alone.rows) << nq << " " << q;
          ASSERT_EQ(together[q].rows, exact[q]) << nq << " " << q;
          ASSERT_EQ(together[q].scored, alone.scored) << nq << " " << q;
        }
      }
    }
  }
}

TEST(Sieve, LooksAtFewRows) {
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
TEST(Sieve, ThreadsAndAdoptedRowsChangeNothing) {
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
  ASSERT_GT(n * adopting.view().short_shape().size_bytes, 2 * kBytesPerWorker);
  const RowSet allowed = RowSet::range(0, n);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const float* query = values->data() + seed * 9001 * dim;
    const auto exact =
        exact_top_k(adopting.view(), allowed, {&query, 1}, 50, by_row, scan_kernel()).front();
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(sieve_one(adopting.view(), allowed, query, 50).rows, exact);
    }
  }
}

TEST(Sieve, RowsThatAreNotFiniteAreNeverReturnedAndHarmNoOther) {
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
      exact_top_k(store.view(), allowed, {&pointer, 1}, 20, by_row, scan_kernel()).front();
  EXPECT_EQ(sieve_one(store.view(), allowed, pointer, 20).rows, exact);
}

}  // namespace
}  // namespace knarr
