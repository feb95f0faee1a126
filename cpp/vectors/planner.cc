#include "vectors/planner.h"

#include <algorithm>

#include "vectors/codes/codes.h"
#include "vectors/codes/gather.h"
#include "vectors/lower_bound_filter.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/row_format.h"
#include "vectors/store.h"

namespace knarr {
namespace {

constexpr double kBytesPerKb = 1024;

// The prices were measured on rows in the caches. Quantised rows at random that come from memory
// suffer more than blocks of codes, which are prefetched.
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

double CostTable::exact_ns(const Work& work) const {
  const auto rows = static_cast<double>(work.rows);
  const bool has_quantised_rows = work.precision != Precision::kInt8 && work.dim >= kLeastCodedDim;
  if (has_quantised_rows ? work.rows < kLowerBoundFilterRowsPerResult * work.k
                         : work.dim < kLeastCodedDim) {
    return rows * vector_kb(work) * rerank_ns_per_kb;
  }
  const bool is_dense = work.blocks <= work.rows / (kBlockCodes / 2);
  if (is_dense) return rows * quantised_kb(work) * row_ns_per_kb;
  const bool from_memory = rows * quantised_kb(work) > kCachedKb;
  return rows * quantised_kb(work) * gap_ns_per_kb * (from_memory ? kGapsFromMemory : 1);
}

double CostTable::scan_ns(const Work& work) const {
  const auto reranks = static_cast<double>(std::min(work.rows, expected_reranks(work.k)));
  // At least one block of each chunk is read.
  const std::uint64_t gathered = work.rows / kBlockCodes + work.blocks / kChunkBlocks + 1;
  const std::uint64_t blocks = std::min<std::uint64_t>(work.blocks, kGatherCost * gathered);
  return start_ns + static_cast<double>(blocks) * block_kb(work) * block_ns_per_kb +
         reranks * vector_kb(work) * rerank_ns_per_kb;
}

Plan choose(const Work& work, const CostTable& costs) {
  if (work.rows <= kExactRows) return Plan::kExact;
  return costs.scan_ns(work) < costs.exact_ns(work) ? Plan::kScan : Plan::kExact;
}

}  // namespace knarr
