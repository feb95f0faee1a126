// Gathered codes beside those of the chunk they come from.
#include "vectors/codes/gather.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "vector_rows.h"
#include "vectors/search.h"
#include "vectors/store.h"

namespace knarr {
namespace {

TEST(Gather, GatheredBlocksHoldWhatTheChunkHolds) {
  std::mt19937 random(1);
  for (const std::size_t dim : {64u, 70u, 100u, 256u, 384u, 400u, 768u, 1100u, 3000u}) {
    const VectorStore store = store_of(normal(2 * kChunkRows, dim, 2), dim);
    const CodeView codes = store.view().codes();
    const ChunkShape& shape = codes.coder().shape();
    ASSERT_EQ(shape.slot_bytes % 16, 0u);
    ASSERT_GE(shape.slot_bytes, shape.code_bytes + 2);
    const ChunkView chunk = codes.chunk(1);
    for (const std::size_t n : {32u, 64u, 224u}) {
      std::vector<std::uint16_t> rows(n);
      for (auto& row : rows) row = static_cast<std::uint16_t>(random() % kChunkRows);
      for (const CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
        if (level > cpu_level() || gather_rows(level) == nullptr) continue;
        std::vector<std::byte> blocks(n * shape.code_bytes);
        std::vector<std::uint8_t> factors(n), offsets(n);
        gather_rows(level)(codes.slots(1), shape, rows.data(), n, blocks.data(), factors.data(),
                           offsets.data());
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t row = rows[i];
          ASSERT_EQ(factors[i], chunk.factors()[row]);
          ASSERT_EQ(offsets[i], chunk.offsets()[row]);
          const std::byte* from = chunk.block(row / kBlockCodes) + row % kBlockCodes;
          const std::byte* to = blocks.data() + i / 32 * shape.block_bytes + i % 32;
          for (std::size_t at = 0; at < shape.code_bytes; ++at) {
            ASSERT_EQ(to[32 * at], from[32 * at]) << cpu_level_name(level) << " dim " << dim;
          }
        }
      }
    }
  }
}

// Slots are made again for codes that a store adopts.
TEST(Gather, AdoptedCodesHaveSlots) {
  const std::size_t dim = 384, n = 3 * kChunkRows + 5;
  const VectorStore store = store_of(normal(n, dim, 3), dim);
  const VectorView view = store.view();
  auto rows = std::make_shared<std::vector<float>>();
  for (Row row = 0; row < n; ++row) rows->insert(rows->end(), view.row(row), view.row(row) + dim);
  for (const std::size_t kept : {1u, 3u}) {
    VectorStore adopting(dim, {rows->data(), static_cast<Row>(n), rows},
                         {view.codes().chunk(0).data, kept, std::make_shared<VectorView>(view)});
    adopting.append(normal(kChunkRows, dim, 4), kChunkRows);
    const CodeView codes = adopting.view().codes();
    const std::size_t size = kChunkRows * codes.coder().shape().slot_bytes;
    ASSERT_EQ(codes.chunks(), 4u);
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_TRUE(std::equal(codes.slots(c), codes.slots(c) + size, view.codes().slots(c))) << c;
    }
  }
}

// However few rows are allowed, the best of them are found, and only they are read, or a block
// where a chunk has one of them.
TEST(Gather, RightsHereAndThereLoseNothing) {
  const std::size_t dim = 384, n = 20'000;
  Matrix values = normal(n, dim, 5);
  for (std::size_t row = 0; row < n; ++row) {  // families of ten, near each other
    const std::size_t head = row - row % 10;
    for (std::size_t i = 0; i < dim && row != head; ++i) {
      values[row * dim + i] = values[head * dim + i] + 0.7f * values[row * dim + i];
    }
  }
  VectorStore store(dim);
  store.append(values, n);
  std::mt19937 random(6);
  for (const unsigned each : {2u, 3u, 10u, 100u, 5000u}) {
    std::vector<std::uint8_t> mask(n);
    for (auto& bit : mask) bit = random() % each == 0;
    const RowSet allowed = RowSet::from_mask(mask);
    std::size_t found = 0, wanted = 0;
    for (std::size_t q = 0; q < 20; ++q) {
      const float* query = values.data() + 900 * q * dim;
      const auto exact =
          top_k(store.view(), allowed, query, 10, by_row, {PlanWish::kExact, 0.99}).rows;
      const auto scan = top_k(store.view(), allowed, query, 10, by_row, {PlanWish::kScan, 0.99});
      ASSERT_EQ(scan.rows.size(), exact.size());
      if (each > 2 && each < 5000 && std::string_view(scan.plan) == "scan") {
        ASSERT_LE(scan.explanation.rows_scanned, allowed.size());
      }
      wanted += exact.size();
      for (const ScoredRow& row : scan.rows) {
        ASSERT_TRUE(allowed.contains(row.row));
        found += row.score >= exact.back().score;
      }
    }
    EXPECT_GE(static_cast<double>(found) / static_cast<double>(wanted), 0.99) << each;
  }
}

}  // namespace
}  // namespace knarr
