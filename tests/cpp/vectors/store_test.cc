// VectorStore: what is stored, what is refused, and that views stand still.
#include "vectors/store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace knarr {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> random_vectors(std::size_t n, std::size_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n * dim);
  for (float& x : values) x = normal(random);
  return values;
}

std::string refusal(VectorStore& store, const std::vector<float>& values, std::size_t n) {
  try {
    store.append(values, n);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(VectorStore, RefusesADimensionOutOfBounds) {
  EXPECT_THROW(VectorStore(0), Error);
  EXPECT_THROW(VectorStore(65'537), Error);
  EXPECT_EQ(VectorStore(65'536).view().size(), 0u);
}

TEST(VectorStore, RowsAreUnitVectorsInTheDirectionGiven) {
  for (std::size_t dim : {1u, 2u, 3u, 7u, 8u, 17u, 384u, 1000u}) {
    VectorStore store(dim);
    const auto values = random_vectors(20, dim, 1);
    EXPECT_EQ(store.append(values, 20), 0u);
    const VectorView view = store.view();
    ASSERT_EQ(view.size(), 20u);
    ASSERT_EQ(view.dim(), dim);
    for (Row row = 0; row < 20; ++row) {
      double length = 0;
      for (std::size_t i = 0; i < dim; ++i) length += std::pow(double{values[row * dim + i]}, 2);
      length = std::sqrt(length);
      for (std::size_t i = 0; i < dim; ++i) {
        ASSERT_NEAR(view.row(row)[i], values[row * dim + i] / length, 1e-7);
      }
    }
  }
}

TEST(VectorStore, LengthsFromTinyToHugeAreFine) {
  VectorStore store(3);
  const std::vector<float> values = {3e38f, 3e38f, 3e38f, 2e-38f, 0, 0, 0, -1e30f, 0, 1e-40f, 1, 0};
  store.append(values, 4);
  const VectorView view = store.view();
  EXPECT_NEAR(view.row(0)[0], 1 / std::sqrt(3.0), 1e-7);
  EXPECT_EQ(view.row(1)[0], 1.0f);
  EXPECT_EQ(view.row(2)[1], -1.0f);
  EXPECT_EQ(view.row(3)[1], 1.0f);
}

TEST(VectorStore, ABadVectorRefusesItsWholeBatch) {
  const std::size_t dim = 20;
  VectorStore store(dim);
  store.append(random_vectors(3, dim, 2), 3);
  for (const float bad : {kNaN, kInf, -kInf}) {
    for (std::size_t at : {0u, 7u, 8u, 16u, 19u}) {
      auto values = random_vectors(5, dim, 3);
      values[2 * dim + at] = bad;
      const std::string why = refusal(store, values, 5);
      EXPECT_NE(why.find("vector 2: component " + std::to_string(at)), std::string::npos) << why;
      EXPECT_NE(why.find(std::isnan(bad) ? "NaN" : "infinite"), std::string::npos) << why;
    }
  }
  for (const float small : {0.0f, -0.0f, 1e-40f, std::numeric_limits<float>::denorm_min()}) {
    auto values = random_vectors(5, dim, 3);
    for (std::size_t i = 0; i < dim; ++i) values[4 * dim + i] = i == 3 ? small : 0.0f;
    EXPECT_NE(refusal(store, values, 5).find("vector 4"), std::string::npos);
  }
  EXPECT_EQ(store.size(), 3u);
  EXPECT_EQ(store.append(random_vectors(1, dim, 4), 1), 3u);
}

TEST(VectorStore, WrongWidthsAreRefusedWithBothNumbers) {
  VectorStore store(384);
  EXPECT_EQ(refusal(store, random_vectors(2, 768, 1), 2), "expected dimension 384, got 768");
  EXPECT_NE(refusal(store, random_vectors(1, 385, 1), 2).find("385"), std::string::npos);
  EXPECT_NE(refusal(store, random_vectors(1, 384, 1), 0), "");
  EXPECT_EQ(store.append({}, 0), 0u);
  EXPECT_EQ(store.size(), 0u);
}

TEST(VectorStore, EqualVectorsAreStoredBitForBitEqual) {
  const std::size_t dim = 100;
  VectorStore store(dim);
  const auto one = random_vectors(1, dim, 9);
  store.append(one, 1);
  store.append(random_vectors(4, dim, 1), 4);
  store.append(one, 1);
  const VectorView view = store.view();
  EXPECT_TRUE(std::equal(view.row(0), view.row(0) + dim, view.row(5)));
}

// Dimension 65,536 gives segments of 64 rows: many borders for little memory.
TEST(VectorStore, SegmentsJoin) {
  const std::size_t dim = 65'536;
  VectorStore store(dim);
  std::vector<float> vector(dim, 0.0f);
  for (std::size_t row = 0; row < 150; ++row) {
    vector[row] = 1;
    store.append(vector, 1);
    vector[row] = 0;
  }
  const VectorView view = store.view();
  Row seen = 0;
  while (seen < view.size()) {
    const Row run = view.contiguous(seen);
    ASSERT_GE(run, 1u);
    for (Row i = 0; i < run; ++i) {
      ASSERT_EQ(view.row(seen) + std::size_t{i} * dim, view.row(seen + i));
      ASSERT_EQ(view.row(seen + i)[seen + i], 1.0f);
    }
    seen += run;
  }
  EXPECT_EQ(seen, 150u);
  EXPECT_EQ(view.contiguous(149), 1u);
  EXPECT_EQ(view.contiguous(10), 54u);
}

TEST(VectorStore, AViewKeepsWhatItShows) {
  auto store = std::make_unique<VectorStore>(4);
  store->append(std::vector<float>{1, 0, 0, 0}, 1);
  const VectorView before = store->view();
  store->append(std::vector<float>{0, 1, 0, 0}, 1);
  const VectorView after = store->view();
  store.reset();
  EXPECT_EQ(before.size(), 1u);
  EXPECT_EQ(before.row(0)[0], 1.0f);
  EXPECT_EQ(after.size(), 2u);
  EXPECT_EQ(after.row(1)[1], 1.0f);
}

TEST(VectorStore, AdoptedRowsStandInFrontUncopied) {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 0, 0, 1, 0.6f, 0.8f});
  const float* data = owner->data();
  VectorView view;
  {
    VectorStore store(2, {data, 3, owner});
    EXPECT_EQ(store.size(), 3u);
    EXPECT_EQ(store.append(std::vector<float>{0, 5, 7, 0}, 2), 3u);
    view = store.view();
  }
  std::weak_ptr<const void> alive = owner;
  owner.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(view.row(0), data);
  EXPECT_EQ(view.row(2), data + 4);
  EXPECT_EQ(view.contiguous(0), 3u);
  EXPECT_EQ(view.contiguous(3), 2u);
  EXPECT_EQ(view.row(3)[1], 1.0f);
  EXPECT_EQ(view.row(4)[0], 1.0f);
  view = VectorView();
  EXPECT_TRUE(alive.expired());
}

// Readers check views that the writer hands over while it goes on; a thread sanitizer watches.
TEST(VectorStore, ReadersNeedNoLockWhileTheWriterAppends) {
  const std::size_t dim = 65'536;
  VectorStore store(dim);
  std::vector<float> vector(dim, 0.0f);
  std::mutex mutex;
  VectorView published = store.view();
  std::atomic<bool> done{false};
  std::vector<std::jthread> readers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done.load()) {
        const VectorView view = [&] {
          const std::lock_guard lock(mutex);
          return published;
        }();
        for (Row row = 0; row < view.size(); ++row) {
          if (view.row(row)[row] != 1.0f) ++wrong;
        }
      }
    });
  }
  for (std::size_t row = 0; row < 140; ++row) {
    vector[row] = 2;
    store.append(vector, 1);
    vector[row] = 0;
    const std::lock_guard lock(mutex);
    published = store.view();
  }
  done.store(true);
  readers.clear();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace knarr
