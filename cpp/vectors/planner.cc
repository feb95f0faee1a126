#include "vectors/planner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <vector>

#include "vectors/bound_filter.h"
#include "vectors/codes/codes.h"
#include "vectors/codes/estimate.h"
#include "vectors/codes/query_table.h"
#include "vectors/codes/scattered.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/row_format.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"

namespace knarr {
namespace {

constexpr double kBytesPerKb = 1024;

// What a measurement in the caches does not show: rows here and there that come from memory suffer
// more than blocks of codes, which are asked for in time.
constexpr double kCachedKb = 8192;
constexpr double kGapsFromMemory = 2;

double vector_kb(const Work& work) {
  return static_cast<double>(RowFormat(work.precision, work.dim).row_bytes()) / kBytesPerKb;
}

double quantised_kb(const Work& work) {
  return static_cast<double>(QuantisedShape(work.dim).size_bytes) / kBytesPerKb;
}

double block_kb(const Work& work) {
  return static_cast<double>(ChunkShape(work.dim).block_bytes) / kBytesPerKb;
}

// Rows that a measurement works on: more than a second-level cache holds, as a large scope does.
constexpr std::size_t kDim = 384;
constexpr Row kRows = 4 * kChunkRows;
constexpr int kRepeats = 3;

VectorStore made_rows() {
  std::vector<float> values(std::size_t{kRows} * kDim);
  std::uint32_t state = 1;
  for (float& x : values) {
    state = state * 1'664'525u + 1'013'904'223u;
    x = static_cast<float>(state >> 8) * (2.0f / 16'777'216.0f) - 1.0f;
  }
  VectorStore store(kDim);
  store.append(values, kRows);
  return store;
}

// The shortest of a few runs, in nanoseconds.
double shortest(FunctionRef<std::int64_t()> now, FunctionRef<void()> work) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < kRepeats; ++i) {
    const std::int64_t begin = now();
    work();
    best = std::min(best, static_cast<double>(now() - begin));
  }
  return best;
}

}  // namespace

const char* name(Plan plan) {
  switch (plan) {
    case Plan::kScan:
      return "scan";
    case Plan::kGraph:
      return "graph";
    case Plan::kExact:
      break;
  }
  return "exact";
}

std::uint64_t expected_reranks(std::size_t k) { return 200 + 12 * std::uint64_t{k}; }

double CostModel::exact_ns(const Work& work) const {
  const auto rows = static_cast<double>(work.rows);
  const bool sieves = work.precision != Precision::kInt8 && work.dim >= kLeastCodedDim;
  if (sieves ? work.rows < kBoundFilterRowsPerResult * work.k : work.dim < kLeastCodedDim) {
    return rows * vector_kb(work) * rerank_ns_per_kb;
  }
  const bool is_dense = work.blocks <= work.rows / (kBlockCodes / 2);
  if (is_dense) return rows * quantised_kb(work) * row_ns_per_kb;
  const bool from_memory = rows * quantised_kb(work) > kCachedKb;
  return rows * quantised_kb(work) * gap_ns_per_kb * (from_memory ? kGapsFromMemory : 1);
}

double CostModel::scan_ns(const Work& work) const {
  const auto reranks = static_cast<double>(std::min(work.rows, expected_reranks(work.k)));
  // Of each chunk at least one block is read.
  const std::uint64_t gathered = work.rows / kBlockCodes + work.blocks / kChunkBlocks + 1;
  const std::uint64_t blocks = std::min<std::uint64_t>(work.blocks, kGatherCost * gathered);
  return start_ns + static_cast<double>(blocks) * block_kb(work) * block_ns_per_kb +
         reranks * vector_kb(work) * rerank_ns_per_kb;
}

Plan choose(const CostModel& model, const Work& work) {
  if (work.rows <= kExactRows) return Plan::kExact;
  return model.scan_ns(work) < model.exact_ns(work) ? Plan::kScan : Plan::kExact;
}

CostModel measure_costs(FunctionRef<std::int64_t()> now) {
  const VectorStore store = made_rows();
  const VectorView view = store.view();
  const float* query = view.row(0);
  std::vector<const std::byte*> vectors(kRows), in_order(kRows), here_and_there(kRows);
  for (Row row = 0; row < kRows; ++row) {
    const Row other = row * 1'103u % kRows;  // odd: each row once
    vectors[row] = view.data(other);
    in_order[row] = view.quantised_row(row);
    here_and_there[row] = view.quantised_row(other);
  }
  std::vector<float> scores(kRows), slacks(kRows);
  const QuantisedQuery quantised_query({query, kDim}, view.quantised_shape());
  const auto read_quantised = [&](const std::vector<const std::byte*>& rows) {
    const QueryBytes bytes = quantised_query.bytes();
    quantised_cosines()(rows.data(), kRows, &bytes, 1, view.quantised_shape().numbers,
                        scores.data(), kRows, slacks.data());
  };
  const auto score = [&] {
    score_kernel().block(vectors.data(), kRows, &query, 1, kDim, scores.data(), kRows);
  };
  const CodeView& codes = view.codes();
  const auto make_table = [&] { const QueryTable table(codes.coder(), query); };
  const auto read_codes = [&] {
    const QueryTable table(codes.coder(), query);
    std::array<std::uint32_t, kChunkBlocks> passing;
    constexpr float kFloor = 1e7f;  // which no row reaches, as few do in a large store
    for (std::size_t c = 0; c < codes.chunks(); ++c) {
      const ChunkView chunk = codes.chunk(c);
      bound_kernel().bounds(chunk.block(0), kChunkBlocks, chunk.shape->code_bytes, chunk.factors(),
                            chunk.offsets(), table.entries(), {0, 0, 1, 0}, kFloor, chunk.block(0),
                            scores.data(), passing.data());
    }
  };
  const Work all{kRows, kRows / kBlockCodes, kDim, 1};
  const double quantised_kbs = static_cast<double>(all.rows) * quantised_kb(all);
  CostModel model;
  model.row_ns_per_kb = shortest(now, [&] { read_quantised(in_order); }) / quantised_kbs;
  model.gap_ns_per_kb = shortest(now, [&] { read_quantised(here_and_there); }) / quantised_kbs;
  model.rerank_ns_per_kb = shortest(now, score) / (static_cast<double>(kRows) * vector_kb(all));
  model.start_ns = shortest(now, make_table);
  const double read_ns = shortest(now, read_codes) - model.start_ns;
  model.block_ns_per_kb =  // a clock may be coarse
      std::max(read_ns, 1.0) / (static_cast<double>(all.blocks) * block_kb(all));
  return model;
}

const CostModel& costs_here() {
  static const CostModel model = measure_costs([] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::int64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()};
  });
  return model;
}

}  // namespace knarr
