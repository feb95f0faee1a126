// What reading quantised rows first spares a rerank, and that it changes nothing else.
#include "vectors/rerank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "vector_rows.h"
#include "vectors/rows/unit_vectors.h"

namespace knarr {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

// Rows with bounds as codes give them: most true, some not.
std::vector<Candidate> candidates(const VectorView& view, const float* query,
                                  std::mt19937& random) {
  std::normal_distribution<float> error(0.1f, 0.06f);
  std::vector<Candidate> out;
  const ScoreKernel& kernel = score_kernel(view.format().precision());
  for (Row row = 0; row < view.size(); ++row) {
    const std::byte* data = view.data(row);
    float score;
    kernel.block(&data, 1, &query, 1, view.dim(), &score, 1);
    out.push_back({row, score + error(random)});
  }
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

TEST(Rerank, QuantisedRowsChangeNothing) {
  constexpr std::size_t kDim = 64;
  std::mt19937 random(1);
  Matrix values = normal(3000, kDim, 2);
  for (std::size_t r = 0; r < 1000; ++r) values[r * kDim] += 4;  // many alike
  for (std::size_t r = 0; r < 40; ++r) std::copy_n(values.begin(), kDim, values.begin() + r * kDim);
  for (const Precision precision : {Precision::kFloat32, Precision::kBfloat16, Precision::kInt8}) {
    const VectorStore store = store_of(values, kDim, precision);
    const VectorView view = store.view();
    const ScoreKernel& kernel = score_kernel(precision);
    for (const std::size_t k : {1u, 10u, 100u, 2500u}) {
      for (const std::uint64_t most : {kAll, std::uint64_t{400}}) {
        const Matrix query =
            stored(store_of(normal(1, kDim, static_cast<unsigned>(k)), kDim).view());
        const UnitQueries unit(query.data(), 1, kDim, precision, true);
        const auto some = candidates(view, unit.all()[0], random);
        const Reranked all = rerank(view, some, unit.all()[0], k, by_row, kernel, nullptr, most);
        const Reranked few =
            rerank(view, some, unit.all()[0], k, by_row, kernel, quantised_cosines(), most);
        EXPECT_EQ(few.scored, all.scored);
        EXPECT_EQ(few.is_done, all.is_done);
        ASSERT_EQ(few.rows.size(), all.rows.size());
        for (std::size_t i = 0; i < all.rows.size(); ++i) {
          EXPECT_EQ(few.rows[i].row, all.rows[i].row);
          EXPECT_EQ(few.rows[i].score, all.rows[i].score);
        }
      }
    }
  }
}

}  // namespace
}  // namespace knarr
