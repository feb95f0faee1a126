// The planner: which way of finding the best rows costs least.
//
// Costs come from a model whose few numbers are measured once in each process, in a few
// milliseconds, with the machine's own kernels. A choice depends on what is asked of one query: not
// on how many are asked together, so that a query has the same result alone and in a batch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/function_ref.h"
#include "vectors/rows/row_format.h"

namespace knarr {

enum class Plan : std::uint8_t { kExact, kScan, kGraph };

// "exact", "scan" or "graph".
const char* name(Plan plan);

// Up to so many allowed rows the plan is exact, whatever the model says.
inline constexpr std::uint64_t kExactRows = 10'000;

// What one query asks for.
struct Work {
  std::uint64_t rows = 0;    // allowed
  std::uint64_t blocks = 0;  // of codes that hold any of them, at most
  std::size_t dim = 0;
  std::size_t k = 0;
  Precision precision = Precision::kFloat32;
};

struct CostModel {
  double row_ns_per_kb;     // to read quantised rows, in their order
  double gap_ns_per_kb;     // to read quantised rows here and there
  double rerank_ns_per_kb;  // to score vectors here and there
  double block_ns_per_kb;   // to read blocks of codes
  double start_ns;          // of a scan: the query's table

  double exact_ns(const Work& work) const;
  double scan_ns(const Work& work) const;
};

// How many rows a scan looks at for k results, as real embeddings have it; see bench/README.md.
std::uint64_t expected_reranks(std::size_t k);

// The cheapest plan. A model whose numbers are wrong by a factor of at most √2 each, up or down,
// chooses a plan that costs at most twice as much as any other.
Plan choose(const CostModel& model, const Work& work);

// Measures a machine: now() gives nanoseconds that do not go back.
CostModel measure_costs(FunctionRef<std::int64_t()> now);

// This machine's, measured when first asked for. Any thread.
const CostModel& costs_here();

}  // namespace knarr
