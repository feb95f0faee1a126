// How close is an exact scan to the speed at which memory can be read at all?
//
// The roof is a loop that only reads the same rows, with as many threads as the scan may use. The
// variants are then compared on one block of rows in the cache, where arithmetic is the limit.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include "base/cpu.h"
#include "base/parallel.h"
#include "harness.h"
#include "vectors/codes/bound_kernel.h"
#include "vectors/codes/codes.h"
#include "vectors/codes/query_table.h"
#include "vectors/exact.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/search.h"

namespace knarr::bench {
namespace {

constexpr std::size_t kDim = 384;
constexpr std::size_t kRowBytes = kDim * sizeof(float);

// The fastest plain read: 64 bytes a step into independent sums.
#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
std::uint32_t
read_memory(const std::uint32_t* words, std::size_t n) {
  std::uint32_t sums[64] = {};
  for (std::size_t i = 0; i + 64 <= n; i += 64) {
    for (std::size_t lane = 0; lane < 64; ++lane) sums[lane] += words[i + lane];
  }
  return std::accumulate(std::begin(sums), std::end(sums), 0u);
}

void read_rows(const VectorView& view, Row begin, Row end) {
  std::vector<std::pair<Row, Row>> pieces;
  while (begin < end) {
    const Row n = std::min<Row>({view.contiguous(begin), end - begin, 1365});
    pieces.emplace_back(begin, n);
    begin += n;
  }
  std::uint64_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece.second * kRowBytes;
  const auto workers =
      static_cast<unsigned>(std::clamp<std::uint64_t>(bytes / kBytesPerWorker, 1, max_workers()));
  const auto read = [&](unsigned, std::size_t i) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(view.row(pieces[i].first));
    keep(read_memory(words, pieces[i].second * kDim));
  };
  if (workers == 1) {
    for (std::size_t i = 0; i < pieces.size(); ++i) read(0, i);
  } else {
    parallel_for(pieces.size(), workers, read);
  }
}

constexpr auto kByRow = [](Row a, Row b) { return a < b; };

void whole_ranges(const VectorView& view, const Options& options) {
  for (const std::size_t rows : {50u, 1000u, 10'000u, 100'000u, 1'000'000u}) {
    if (rows > view.size()) continue;
    const auto query = random_vectors(1, kDim, 5);
    const RowSet allowed = RowSet::range(0, static_cast<Row>(rows));
    const auto bytes = static_cast<double>(rows * kRowBytes);
    const auto ops = static_cast<double>(rows);
    race("scan", {{"dim", number(kDim)}, {"rows", number(rows)}, {"k", "10"}}, options,
         {{"read memory", [&] { read_rows(view, 0, static_cast<Row>(rows)); }, ops, bytes},
          {"top_k", [&] { keep(top_k(view, allowed, query.data(), 10, kByRow).rows.data()); }, ops,
           bytes}});
  }
}

// The plans, on the same rows. Random rows are hard for codes: see bench.python.scoped_search for
// real ones.
void plans(const VectorView& view, const Options& options) {
  for (const std::size_t rows : {1000u, 10'000u, 100'000u, 1'000'000u}) {
    if (rows > view.size()) continue;
    const auto query = random_vectors(1, kDim, 5);
    const RowSet allowed = RowSet::range(0, static_cast<Row>(rows));
    const auto ops = static_cast<double>(rows);
    const auto by = [&](PlanWish plan) {
      keep(top_k(view, allowed, query.data(), 10, kByRow, {plan, 0.99}).rows.data());
    };
    const float* pointer = query.data();
    const auto every_row = [&] {
      keep(exact_top_k(view, allowed, {&pointer, 1}, 10, kByRow, score_kernel()).data());
    };
    race("scan", {{"dim", number(kDim)}, {"rows", number(rows)}, {"k", "10"}}, options,
         {{"every row's vector", every_row, ops, ops * kRowBytes},
          {"plan exact", [&] { by(PlanWish::kExact); }, ops},
          {"plan scan", [&] { by(PlanWish::kScan); }, ops}});
  }
}

// One step each: reading codes and quantised rows of rows in the cache, and making them.
void steps(const VectorView& view, const Options& options) {
  const CodeView& codes = view.codes();
  if (codes.chunks() == 0) return;
  const float* query = view.row(0);
  const QueryTable table(codes.coder(), query);
  const QuantisedShape& shape = view.quantised_shape();
  const QuantisedQuery quantised_query({query, kDim}, shape);
  std::vector<const float*> vectors;
  std::vector<const std::byte*> quantised_rows;
  for (Row row = 0; row < kChunkRows; ++row) {
    vectors.push_back(view.row(row));
    quantised_rows.push_back(view.quantised_row(row));
  }
  std::vector<float> upper(kChunkRows);
  std::vector<std::uint32_t> passing(kChunkBlocks);
  std::vector<float> cosines(kChunkRows), slacks(kChunkRows);
  std::vector<std::byte> memory(codes.coder().shape().size_bytes + 64);
  void* at = memory.data();
  std::size_t room = memory.size();
  auto* aligned =
      static_cast<std::byte*>(std::align(64, codes.coder().shape().size_bytes, at, room));
  const auto read_codes = [&](const BoundKernel& kernel) {
    const ChunkView chunk = codes.chunk(0);
    kernel.bounds(chunk.block(0), kChunkBlocks, chunk.shape->code_bytes, chunk.factors(),
                  chunk.offsets(), table.entries(), {0, 0, 1, 0}, 1e7f, chunk.block(0),
                  upper.data(), passing.data());
    keep(upper.data());
  };
  const auto ops = static_cast<double>(kChunkRows);
  each("scan", {{"dim", number(kDim)}, {"rows", number(kChunkRows)}}, options,
       {{"codes, plain", [&] { read_codes(*kBoundPlain); }, ops},
        {"codes, best", [&] { read_codes(bound_kernel()); }, ops},
        {"quantised rows, best",
         [&] {
           const QueryBytes side = quantised_query.bytes();
           quantised_cosines()(quantised_rows.data(), kChunkRows, &side, 1, shape.numbers,
                               cosines.data(), kChunkRows, slacks.data());
           keep(cosines.data());
         },
         ops},
        {"make codes", [&] { codes.coder().code(vectors, aligned); }, ops},
        {"make a quantised row",
         [&] {
           quantise({query, kDim}, shape, aligned);
         },
         1},
        {"query's table", [&] { keep(QueryTable(codes.coder(), query).scale()); }, 1}});
}

void scattered(const VectorView& view, const Options& options) {
  Random random(3);
  for (const unsigned one_of : {2u, 10u, 100u}) {
    const Row within = std::min<Row>(view.size(), 100'000);
    std::vector<std::uint8_t> mask(within);
    for (auto& m : mask) m = random() % one_of == 0;
    const RowSet allowed = RowSet::from_mask(mask);
    const auto query = random_vectors(1, kDim, 6);
    const auto ops = static_cast<double>(allowed.size());
    each("scan", {{"dim", number(kDim)}, {"rows", number(within)}, {"k", "10"}}, options,
         {{"top_k, random rows, 1 of " + std::to_string(one_of),
           [&] { keep(top_k(view, allowed, query.data(), 10, kByRow).rows.data()); }, ops,
           ops * kRowBytes}});
  }
}

void large_k(const VectorView& view, const Options& options) {
  const Row rows = std::min<Row>(view.size(), 100'000);
  const auto query = random_vectors(1, kDim, 7);
  const RowSet allowed = RowSet::range(0, rows);
  std::vector<Contender> contenders;
  for (const std::size_t k : {10u, 1000u, 100'000u}) {
    contenders.push_back(
        {"top_k, k=" + std::to_string(k),
         [&, k] { keep(top_k(view, allowed, query.data(), k, kByRow).rows.data()); },
         static_cast<double>(rows), static_cast<double>(rows) * kRowBytes});
  }
  race("scan", {{"dim", number(kDim)}, {"rows", number(rows)}}, options, contenders);
}

void batches(const VectorView& view, const Options& options) {
  for (const std::size_t rows : {1000u, 100'000u}) {
    if (rows > view.size()) continue;
    const std::size_t nq = 48;
    const auto queries = random_vectors(nq, kDim, 8);
    const RowSet allowed = RowSet::range(0, static_cast<Row>(rows));
    const auto ops = static_cast<double>(rows * nq);
    const auto one_by_one = [&] {
      for (std::size_t q = 0; q < nq; ++q) {
        keep(top_k(view, allowed, queries.data() + q * kDim, 10, kByRow).rows.data());
      }
    };
    const auto together = [&] {
      keep(top_k_batch(view, allowed, queries.data(), nq, 10, kByRow).data());
    };
    race("scan",
         {{"dim", number(kDim)}, {"rows", number(rows)}, {"queries", number(nq)}, {"k", "10"}},
         options, {{"top_k, one by one", one_by_one, ops}, {"top_k_batch", together, ops}});
  }
}

void variants(const VectorView& view, const Options& options) {
  const std::size_t n = 64;
  std::vector<const std::byte*> rows(n);
  for (std::size_t r = 0; r < n; ++r) rows[r] = view.data(static_cast<Row>(r));
  for (const std::size_t nq : {1u, 12u}) {
    const auto values = random_vectors(nq, kDim, 9);
    std::vector<const float*> queries(nq);
    for (std::size_t q = 0; q < nq; ++q) queries[q] = values.data() + q * kDim;
    std::vector<float> scores(n * nq);
    std::vector<Contender> contenders;
    for (const CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
      const ScoreKernel* kernel = score_kernel(level);
      if (level > cpu_level() || kernel == nullptr) continue;
      contenders.push_back({std::string("kernel ") + cpu_level_name(level),
                            [&, kernel] {
                              kernel->block(rows.data(), n, queries.data(), nq, kDim, scores.data(),
                                            n);
                              keep(scores.data());
                            },
                            static_cast<double>(n * nq), static_cast<double>(n * nq * kRowBytes)});
    }
    race("scan", {{"dim", number(kDim)}, {"rows", number(n)}, {"queries", number(nq)}}, options,
         contenders);
  }
}

}  // namespace

void bench_scan(const Options& options) {
  VectorStore store(kDim);
  constexpr std::size_t kPiece = 10'000;
  for (std::size_t at = 0; at < options.rows; at += kPiece) {
    const std::size_t n = std::min(kPiece, options.rows - at);
    store.append(random_vectors(n, kDim, static_cast<std::uint32_t>(at + 1)), n);
  }
  const VectorView view = store.view();
  variants(view, options);
  steps(view, options);
  whole_ranges(view, options);
  plans(view, options);
  scattered(view, options);
  large_k(view, options);
  batches(view, options);
}

}  // namespace knarr::bench
