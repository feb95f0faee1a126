// Codes beside their definition, in double; variants beside the plain one; stores however they
// grew.
#include "vectors/codes/codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/cpu.h"
#include "base/error.h"
#include "vectors/codes/bound_kernel.h"
#include "vectors/codes/query_table.h"
#include "vectors/codes/rotation.h"
#include "vectors/store.h"

namespace knarr {
namespace {

using Matrix = std::vector<float>;

Matrix normal(std::size_t n, std::size_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> number;
  Matrix out(n * dim);
  for (float& x : out) x = number(random);
  return out;
}

Matrix units(Matrix values, std::size_t dim) {
  for (std::size_t at = 0; at < values.size(); at += dim) {
    double sum = 0;
    for (std::size_t i = 0; i < dim; ++i) sum += double{values[at + i]} * values[at + i];
    for (std::size_t i = 0; i < dim; ++i) {
      values[at + i] = static_cast<float>(values[at + i] / std::sqrt(sum));
    }
  }
  return values;
}

double inner(const float* a, const float* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double{a[i]} * b[i];
  return sum;
}

// A chunk of the given rows.
struct Coded {
  Coded(const Matrix& rows, std::size_t dim) : coder(dim), bytes(coder.shape().size_bytes + 64) {
    std::vector<const float*> pointers;
    for (std::size_t r = 0; r < kChunkRows; ++r) pointers.push_back(rows.data() + r * dim);
    auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    data = bytes.data() + (64 - address % 64) % 64;
    coder.code(pointers, data);
  }
  ChunkView view() const { return {data, &coder.shape()}; }

  std::size_t word(std::size_t row, std::size_t i) const {
    const std::byte byte = view().block(row / kBlockCodes)[i / 2 * kBlockCodes + row % kBlockCodes];
    return std::to_integer<std::size_t>(byte) >> (i % 2 == 0 ? 0 : 4) & 15;
  }
  Matrix centre() const {
    Matrix out(coder.shape().dim);
    const auto* halves = reinterpret_cast<const std::uint16_t*>(view().centre());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = std::bit_cast<float>(std::uint32_t{halves[i]} << 16);
    }
    return out;
  }

  Coder coder;
  std::vector<std::byte> bytes;
  std::byte* data;
};

// What the head of codes.h says, in double: the estimate of row · query, and the spread of its
// error.
struct Estimate {
  double value;
  double spread;
};

// The vector that the code of x stands for: ones, or a one in each eight.
Matrix coded_vector(const Matrix& x, Codebook codebook) {
  Matrix out(x.size(), 0.0f);
  for (std::size_t at = 0; at < x.size(); at += word_dims(codebook)) {
    std::size_t peak = at;
    for (std::size_t i = at; i < at + word_dims(codebook); ++i) {
      if (std::abs(x[i]) > std::abs(x[peak])) peak = i;
      if (codebook == Codebook::kSigns) out[i] = std::signbit(x[i]) ? -1.0f : 1.0f;
    }
    if (codebook == Codebook::kCrossPolytope) out[peak] = std::signbit(x[peak]) ? -1.0f : 1.0f;
  }
  return out;
}

Estimate define(const Coded& coded, const Matrix& rows, std::size_t row, const Matrix& query,
                std::size_t dim) {
  const Rotation& rotation = coded.coder.rotation();
  const std::size_t n = rotation.size();
  const Matrix centre = coded.centre();
  Matrix apart(dim), turned(n), turned_query(n), turned_centre(n);
  double distance2 = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    apart[i] = rows[row * dim + i] - centre[i];
    distance2 += std::pow(double{query[i]} - centre[i], 2);
  }
  rotation.apply(apart, turned);
  rotation.apply(query, turned_query);
  rotation.apply(centre, turned_centre);
  const Matrix s = coded_vector(turned, coded.coder.shape().codebook);
  const double sum = inner(s.data(), turned.data(), n);
  const double length2 = inner(turned.data(), turned.data(), n);
  const double s2 = inner(s.data(), s.data(), n);
  const double with_centre = inner(centre.data(), query.data(), dim);
  const double apart_with_centre = inner(apart.data(), centre.data(), dim);
  if (sum == 0) return {with_centre + apart_with_centre, 0};
  const double f = length2 / sum;
  const double b = apart_with_centre - f * inner(s.data(), turned_centre.data(), n);
  const double x2 = sum * sum / (length2 * s2);
  const double spread = std::sqrt(std::max(0.0, 1 - x2) * s2 / static_cast<double>(n - 1));
  return {with_centre + b + f * inner(s.data(), turned_query.data(), n),
          spread * f * std::sqrt(distance2)};
}

// The estimates of a chunk's rows, by a kernel.
Matrix estimates(const BoundKernel& kernel, const Coded& coded, const Matrix& query,
                 std::size_t dim, std::size_t n_blocks = kChunkBlocks) {
  const QueryTable table(coded.coder, query.data());
  const ChunkView view = coded.view();
  const ChunkTerms& terms = view.terms();
  const auto with_centre = static_cast<float>(inner(coded.centre().data(), query.data(), dim));
  Matrix out(n_blocks * kBlockCodes);
  std::vector<std::uint32_t> passing(n_blocks);
  const BoundTerms bounds{with_centre + terms.offset_low, terms.offset_step,
                          terms.factor_step * table.scale(), terms.factor_step * table.shift()};
  const auto read = [&](float floor) {
    kernel.bounds(view.block(0), n_blocks, view.shape->code_bytes, view.factors(), view.offsets(),
                  table.entries(), bounds, floor, view.block(0), out.data(), passing.data());
  };
  read(-std::numeric_limits<float>::infinity());
  for (const std::uint32_t bits : passing) EXPECT_EQ(bits, ~std::uint32_t{0});
  const float floor = with_centre;
  read(floor);
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(passing[i / kBlockCodes] >> (i % kBlockCodes) & 1, out[i] >= floor);
  }
  return out;
}

// Rows of many sorts, kChunkRows of each.
std::vector<Matrix> sorts_of_rows(std::size_t dim) {
  std::vector<Matrix> sorts;
  sorts.push_back(units(normal(kChunkRows, dim, 1), dim));
  Matrix near = normal(kChunkRows, dim, 2);  // all near one direction, as embeddings are
  for (std::size_t i = 0; i < near.size(); ++i)
    near[i] = near[i] * 0.3f + (i % dim % 3 == 0 ? 2 : 0);
  sorts.push_back(units(near, dim));
  Matrix single(kChunkRows * dim, 0.0f);  // one number each; most dimensions never vary
  for (std::size_t r = 0; r < kChunkRows; ++r) single[r * dim + r % 5 % dim] = r % 2 == 0 ? 1 : -1;
  sorts.push_back(single);
  Matrix equal(kChunkRows * dim);
  for (std::size_t i = 0; i < equal.size(); ++i) equal[i] = static_cast<float>(i % dim) - 1.5f;
  sorts.push_back(units(equal, dim));
  return sorts;
}

TEST(Rotation, KeepsLengthsAndAnglesAndSpreadsWhatIsInOnePlace) {
  for (std::size_t dim :
       {1u, 2u, 7u, 8u, 9u, 64u, 65u, 100u, 384u, 500u, 504u, 768u, 1024u, 1100u}) {
    const std::size_t whole = dim % 3 == 0 ? 16 : 8;
    const Rotation rotation(dim, whole);
    ASSERT_EQ(rotation.size(), (dim + whole - 1) / whole * whole);
    const Matrix a = normal(1, dim, 3), b = normal(1, dim, 4);
    Matrix ra(rotation.size()), rb(rotation.size());
    rotation.apply(a, ra);
    rotation.apply(b, rb);
    const double aa = inner(a.data(), a.data(), dim);
    EXPECT_NEAR(inner(ra.data(), ra.data(), ra.size()) / aa, 1, 1e-5) << dim;
    EXPECT_NEAR(inner(ra.data(), rb.data(), ra.size()), inner(a.data(), b.data(), dim), 1e-5 * aa);
    if (dim < 64) continue;
    for (std::size_t place : {std::size_t{0}, dim / 2, dim - 1}) {
      Matrix single(dim, 0.0f);
      single[place] = 1;
      rotation.apply(single, ra);
      double most = 0;
      for (const float x : ra) most = std::max(most, std::abs(double{x}));
      EXPECT_LT(most, 8 / std::sqrt(static_cast<double>(dim))) << dim << " from " << place;
    }
  }
}

TEST(Codes, WordsNameSignsOrTheLargestNumber) {
  for (std::size_t dim : {64u, 70u, 383u, 384u, 390u, 1024u}) {
    const Codebook codebook = codebook_for(dim);
    ASSERT_EQ(codebook, dim < 384 ? Codebook::kSigns : Codebook::kCrossPolytope);
    const Matrix rows = units(normal(kChunkRows, dim, 5), dim);
    const Coded coded(rows, dim);
    const std::size_t n = coded.coder.rotation().size();
    ASSERT_EQ(n % byte_dims(codebook), 0u);
    ASSERT_EQ(coded.coder.shape().code_bytes, n / byte_dims(codebook));
    const Matrix centre = coded.centre();
    for (std::size_t row = 0; row < kChunkRows; row += 50) {
      Matrix apart(dim), turned(n);
      for (std::size_t i = 0; i < dim; ++i) apart[i] = rows[row * dim + i] - centre[i];
      coded.coder.rotation().apply(apart, turned);
      const Matrix expected = coded_vector(turned, codebook);
      for (std::size_t at = 0; at < n; ++at) {
        const std::size_t numbers = word_dims(codebook), i = at % numbers;
        const std::size_t word = coded.word(row, at / numbers);
        const float up_or_down = (word >> i & 1) != 0 ? 1.0f : -1.0f;
        const float peak = (word & 7) != i ? 0.0f : word > 7 ? -1.0f : 1.0f;
        ASSERT_EQ(codebook == Codebook::kSigns ? up_or_down : peak, expected[at])
            << dim << " " << at;
      }
    }
  }
}

TEST(Codes, EstimatesAreThoseOfTheDefinition) {
  for (std::size_t dim : {1u, 5u, 8u, 17u, 64u, 65u, 384u, 1100u, 2100u}) {
    for (const Matrix& rows : sorts_of_rows(dim)) {
      const Coded coded(rows, dim);
      const Matrix query = units(normal(1, dim, 6), dim);
      const Matrix found = estimates(*kBoundPlain, coded, query, dim);
      const QueryTable table(coded.coder, query.data());
      for (std::size_t r = 0; r < kChunkRows; r += 37) {
        // Rounded: the query's table, and factors and offsets to 16 bits.
        const ChunkView view = coded.view();
        const float factor = view.terms().factor_step * view.factors()[r];
        ASSERT_NEAR(found[r], define(coded, rows, r, query, dim).value,
                    5 * factor * table.rounding() + 1e-3)
            << dim << " row " << r;
      }
    }
  }
}

TEST(Codes, TheErrorIsUnbiasedAndHasTheSpreadThatIsStated) {
  for (std::size_t dim : {64u, 100u, 320u, 384u, 400u, 768u}) {
    for (const Matrix& rows : sorts_of_rows(dim)) {
      const Coded coded(rows, dim);
      const Matrix centre = coded.centre();
      const ChunkTerms& terms = coded.view().terms();
      double sum = 0, sum2 = 0;
      std::size_t n = 0, far = 0;
      for (unsigned seed = 10; seed < 30; ++seed) {
        // A query near some row, where estimates matter.
        Matrix query = normal(1, dim, seed);
        const float* near = rows.data() + seed * dim;
        for (std::size_t i = 0; i < dim; ++i) query[i] = near[i] + 0.04f * query[i];
        query = units(query, dim);
        const Matrix found = estimates(bound_kernel(), coded, query, dim);
        double distance2 = 0;
        for (std::size_t i = 0; i < dim; ++i) {
          distance2 += std::pow(double{query[i]} - centre[i], 2);
        }
        for (std::size_t r = 0; r < kChunkRows; r += 3) {
          const double spread =
              terms.spread * terms.factor_step * coded.view().factors()[r] * std::sqrt(distance2);
          const double error = found[r] - inner(rows.data() + r * dim, query.data(), dim);
          if (spread < 1e-3) {  // rows that are all the same, up to how centres are rounded
            ASSERT_NEAR(error, 0, 5e-3);
            continue;
          }
          const double in_spreads = error / spread;
          sum += in_spreads;
          sum2 += in_spreads * in_spreads;
          far += in_spreads < -2.33;
          ++n;
        }
      }
      if (n == 0) continue;
      const auto count = static_cast<double>(n);
      EXPECT_NEAR(sum / count, 0, 0.25) << dim;
      EXPECT_LT(std::sqrt(sum2 / count), 1.1) << dim;
      EXPECT_LT(static_cast<double>(far) / count, 0.015) << dim;
    }
  }
}

TEST(Codes, VariantsAgree) {
  for (std::size_t dim : {1u, 8u, 9u, 31u, 64u, 72u, 384u, 1100u, 2048u, 2056u, 5000u}) {
    const Matrix rows = units(normal(kChunkRows, dim, 7), dim);
    const Coded coded(rows, dim);
    const Matrix query = units(normal(1, dim, 8), dim);
    for (std::size_t n_blocks : {1u, 2u, 3u, 16u}) {
      const Matrix plain = estimates(*kBoundPlain, coded, query, dim, n_blocks);
      for (CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
        if (level > cpu_level() || bound_kernel(level) == nullptr) continue;
        const Matrix fast = estimates(*bound_kernel(level), coded, query, dim, n_blocks);
        for (std::size_t i = 0; i < plain.size(); ++i) {
          ASSERT_NEAR(fast[i], plain[i], 1e-6) << cpu_level_name(level) << " dim " << dim;
        }
      }
    }
  }
}

// Every entry at its most, in as many bytes as sixteen bits hold sums of, and more.
TEST(Codes, SumsDoNotOverflow) {
  for (std::size_t code_bytes : {256u, 257u, 600u}) {
    const std::vector<std::byte> blocks(2 * code_bytes * kBlockCodes, std::byte{0xFF});
    const std::vector<std::uint8_t> table(32 * code_bytes, kMostEntry);
    const std::vector<std::uint8_t> ones(2 * kBlockCodes, 1), zeros(2 * kBlockCodes, 0);
    for (const BoundKernel* kernel : {kBoundPlain, &bound_kernel()}) {
      Matrix upper(2 * kBlockCodes);
      std::vector<std::uint32_t> passing(2);
      kernel->bounds(blocks.data(), 2, code_bytes, ones.data(), zeros.data(), table.data(),
                     {0, 0, 1, 0}, 0, blocks.data(), upper.data(), passing.data());
      for (const float x : upper) ASSERT_EQ(x, static_cast<float>(2 * kMostEntry * code_bytes));
    }
  }
}

TEST(Codes, ARowThatIsNotFiniteSpoilsNoOther) {
  const std::size_t dim = 64;
  Matrix rows = units(normal(kChunkRows, dim, 9), dim);
  rows[5 * dim + 3] = std::numeric_limits<float>::quiet_NaN();
  rows[6 * dim] = std::numeric_limits<float>::infinity();
  const Coded coded(rows, dim);
  const Matrix query = units(normal(1, dim, 10), dim);
  const Matrix found = estimates(bound_kernel(), coded, query, dim);
  for (std::size_t r = 0; r < kChunkRows; ++r) {
    if (r == 5 || r == 6) continue;
    ASSERT_NEAR(found[r], inner(rows.data() + r * dim, query.data(), dim), 0.6) << r;
  }
}

bool same_codes(const CodeView& a, const CodeView& b) {
  if (a.chunks() != b.chunks()) return false;
  for (std::size_t c = 0; c < a.chunks(); ++c) {
    const std::size_t size = a.coder().shape().size_bytes;
    if (std::memcmp(a.chunk(c).data, b.chunk(c).data, size) != 0) return false;
    const std::size_t slots = kChunkRows * a.coder().shape().slot_bytes;
    if (std::memcmp(a.slots(c), b.slots(c), slots) != 0) return false;
  }
  return true;
}

TEST(Codes, AStoreCodesWholeChunksHoweverItGrew) {
  const std::size_t dim = 72, n = 9 * kChunkRows + 17;
  const Matrix values = normal(n, dim, 11);
  VectorStore once(dim), slowly(dim);
  once.append(values, n);
  std::size_t at = 0;
  for (std::size_t piece : {1u, 510u, 1u, 1u, 1600u, 2000u, 100'000u}) {
    const std::size_t m = std::min(piece, n - at);
    slowly.append(std::span(values).subspan(at * dim, m * dim), m);
    at += m;
    EXPECT_EQ(slowly.view().codes().chunks(), at / kChunkRows);
  }
  const VectorView view = once.view();
  EXPECT_EQ(view.codes().rows(), 9 * kChunkRows);
  EXPECT_TRUE(same_codes(view.codes(), slowly.view().codes()));

  // A store that adopts the rows, and some or none of their codes, has the same.
  auto rows = std::make_shared<Matrix>();
  for (Row row = 0; row < n; ++row) rows->insert(rows->end(), view.row(row), view.row(row) + dim);
  const std::size_t size = view.codes().coder().shape().size_bytes;
  for (std::size_t kept : {0u, 4u, 9u}) {
    VectorStore adopting(dim, {rows->data(), static_cast<Row>(n), rows},
                         {view.codes().chunk(0).data, kept, std::make_shared<VectorView>(view)});
    EXPECT_TRUE(same_codes(view.codes(), adopting.view().codes())) << kept;
    adopting.append(std::span(values).first(600 * dim), 600);
    EXPECT_EQ(adopting.view().codes().chunks(), (n + 600) / kChunkRows);
  }
  EXPECT_GT(size, 0u);
  EXPECT_THROW(VectorStore(dim, {rows->data(), 100, rows}, {view.codes().chunk(0).data, 1, rows}),
               Error);
}

TEST(Codes, AViewKeepsWhatItShows) {
  const std::size_t dim = 64;
  auto store = std::make_unique<VectorStore>(dim);
  store->append(normal(kChunkRows, dim, 12), kChunkRows);
  const VectorView view = store->view();
  const std::byte first = view.codes().chunk(0).data[0];
  store->append(normal(40 * kChunkRows, dim, 13), 40 * kChunkRows);
  EXPECT_EQ(view.codes().chunks(), 1u);
  store.reset();
  EXPECT_EQ(view.codes().chunk(0).data[0], first);
}

TEST(Codes, NarrowVectorsHaveNone) {
  VectorStore store(kLeastCodedDim - 1);
  store.append(normal(kChunkRows, kLeastCodedDim - 1, 14), kChunkRows);
  EXPECT_EQ(store.view().codes().chunks(), 0u);
}

}  // namespace
}  // namespace knarr
