// Vectors in each precision: what is stored, beside its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "error_code.h"
#include "snapshot/snapshot.h"
#include "vector_rows.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/row_format.h"
#include "vectors/store_codec.h"

namespace knarr {
namespace {

constexpr std::array kAll{Precision::kFloat32, Precision::kBfloat16, Precision::kInt8};

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

TEST(RowFormat, Int8HasLengthOneAndOneScaleForAllNumbers) {
  for (std::size_t dim : {1u, 3u, 31u, 32u, 33u, 384u, 1000u}) {
    const RowFormat format(Precision::kInt8, dim);
    const QuantisedShape shape(dim);
    ASSERT_EQ(format.row_bytes(), shape.size_bytes);
    const Matrix values = stored(store_of(normal(20, dim, 1), dim, Precision::kFloat32).view());
    std::vector<std::byte> row(shape.size_bytes, std::byte{7});
    Matrix found(dim);
    for (std::size_t r = 0; r < 20; ++r) {
      format.store(values.data() + r * dim, row.data());
      format.floats(row.data(), found.data());
      const double length2 = inner(found.data(), found.data(), dim);
      ASSERT_NEAR(length2, 1, dim % 32 == 0 ? 1e-6 : 0.02);
      Matrix wanted(shape.numbers, 0.0f);
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(r * dim), dim, wanted.begin());
      hadamard_rotate(wanted);
      float most = 0;  // of two neighbours
      for (std::size_t i = 0; i < shape.numbers; i += 2) {
        most = std::max(most, std::abs(wanted[i]) + std::abs(wanted[i + 1]));
      }
      double squares = 0;
      int sum = 0;
      for (std::size_t i = 0; i < shape.numbers; ++i) {
        const int number = reinterpret_cast<const std::int8_t*>(row.data())[i];
        ASSERT_LE(std::abs(number - wanted[i] / most * 127), 0.501) << dim;
        squares += number * number;
        sum += number;
      }
      ASSERT_NEAR(shape.scale(row.data()) * std::sqrt(squares), 1, 1e-6);
      ASSERT_EQ(shape.slack(row.data()), 0);
      ASSERT_EQ(shape.centre(row.data()), 128 * sum);
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
    const QuantisedShape shape(dim);
    const std::vector<std::byte> good = row;
    const auto is_sound_with = [&](std::size_t at, auto value) {
      row = good;
      std::memcpy(row.data() + at, &value, sizeof(value));
      return format.is_sound(row.data());
    };
    const float scale = shape.scale(good.data());
    for (const float wrong : {-scale, 2 * scale, 0.0f, std::nanf("")}) {
      EXPECT_FALSE(is_sound_with(shape.numbers, wrong)) << wrong;
    }
    for (const float wrong : {-1e-6f, 1e-6f, std::nanf("")}) {
      EXPECT_FALSE(is_sound_with(shape.numbers + 4, wrong)) << wrong;
    }
    EXPECT_FALSE(is_sound_with(shape.numbers + 8, shape.centre(good.data()) + 128));
    EXPECT_FALSE(is_sound_with(1, std::int8_t{-128}));
    EXPECT_TRUE(is_sound_with(shape.numbers, scale));
  }
}

// Of the right length, but two neighbours together are larger than the products of AVX2 bear.
TEST(RowFormat, ARowThatBreaksThePairRuleIsNotSound) {
  const QuantisedShape shape(32);
  const RowFormat format(Precision::kInt8, 32);
  for (const int second : {1, 2}) {
    alignas(4) std::array<std::byte, 44> row{};
    ASSERT_EQ(row.size(), shape.size_bytes);
    row[0] = std::byte{127};
    row[1] = static_cast<std::byte>(second);
    const auto scale = static_cast<float>(1 / std::sqrt(127.0 * 127 + second * second));
    const std::int32_t centre = 128 * (127 + second);
    std::memcpy(row.data() + shape.numbers, &scale, sizeof(scale));
    std::memcpy(row.data() + shape.numbers + 8, &centre, sizeof(centre));
    EXPECT_EQ(format.is_sound(row.data()), second == 1) << second;
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

TEST(VectorsCodec, Int8RowsOfAnEarlierFormAreRefusedByVersion) {
  const std::string path = (std::filesystem::temp_directory_path() / "knarr_former_int8").string();
  Engine engine(32, Precision::kInt8);
  engine.save(path);
  EXPECT_EQ(Engine::load(path)->precision(), Precision::kInt8);
  SnapshotWriter writer(path);
  writer.add("engine.int8", std::string(40, '\0'));
  writer.finish();
  const std::shared_ptr<const Snapshot> former = Snapshot::open(path);
  EXPECT_EQ(code_of([&] { stored_precision(*former); }), ErrorCode::kUnsupported);
  std::filesystem::remove(path);
}

TEST(VectorStore, RoundedRowsTakeFewerBytes) {
  const std::size_t dim = 384, n = 3000;
  const Matrix values = normal(n, dim, 4);
  const std::size_t float_bytes = store_of(values, dim, Precision::kFloat32).size_bytes();
  EXPECT_EQ(store_of(values, dim, Precision::kBfloat16).size_bytes(), float_bytes / 2 + n * 4);
  const VectorStore store = store_of(values, dim, Precision::kInt8);
  EXPECT_EQ(store.size_bytes(), n * 396u);
  EXPECT_FALSE(store.view().has_quantised_rows());
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
      if (!store.view().has_quantised_rows()) continue;
      for (Row row = 0; row < 1500; ++row) {
        ASSERT_EQ(std::memcmp(store.view().quantised_row(row), whole.view().quantised_row(row),
                              store.view().quantised_shape().size_bytes),
                  0);
      }
    }
  }
}

}  // namespace
}  // namespace knarr
