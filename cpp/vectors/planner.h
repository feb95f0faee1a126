// The planner: which way of finding the best rows costs least.
//
// The choice is a pure function of the question and of the store's shape: rows allowed, blocks of
// codes that hold them, dimension, k and precision. It reads no clock, counts no cores and does not
// ask which instructions the machine has, so the same state and question get the same plan in every
// process and under any load. It concerns one query, never how many are asked together, so a query
// is planned alone as it is in a batch.
//
// Each plan is priced by the bytes that it reads in order and at random, with the prices of one
// table of constants. On other machines the ratios of the prices differ: a table whose entries are
// each wrong by a factor of at most √2, up or down, chooses a plan that costs at most twice as much
// as the better one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vectors/rows/row_format.h"

namespace knarr {

enum class Plan : std::uint8_t { kExact, kScan, kGraph };

// "exact", "scan" or "graph".
const char* name(Plan plan);

// Up to this many allowed rows the plan is exact, whatever it costs.
inline constexpr std::uint64_t kExactRows = 10'000;

// What one query asks for.
struct Work {
  std::uint64_t rows = 0;    // allowed
  std::uint64_t blocks = 0;  // of codes that hold any of them, at most
  std::size_t dim = 0;
  std::size_t k = 0;
  Precision precision = Precision::kFloat32;
};

// Prices in nanoseconds, for one thread.
struct CostTable {
  double row_ns_per_kb;     // quantised rows that are read in order
  double gap_ns_per_kb;     // quantised rows that are read at random
  double rerank_ns_per_kb;  // vectors that are scored at random
  double block_ns_per_kb;   // blocks of codes
  double start_ns;          // the query's table, once for each scan

  double exact_ns(const Work& work) const;
  double scan_ns(const Work& work) const;
};

// Measured on two cores of an AMD Zen 3 with AVX2 (1 MiB of L2, 8 MiB of L3) that also ran other
// work, in a Release build of g++: 2,048 rows of dimension 384, the shortest of three runs, and the
// median of 45 such measurements in three processes.
inline constexpr CostTable kCosts{.row_ns_per_kb = 65,
                                  .gap_ns_per_kb = 95,
                                  .rerank_ns_per_kb = 41,
                                  .block_ns_per_kb = 131,
                                  .start_ns = 5800};

// How many vectors a scan scores for k results, as measured with real embeddings: see
// bench/README.md.
std::uint64_t expected_reranks(std::size_t k);

// The cheaper of "exact" and "scan". "graph" is for callers who ask for it, and never chosen.
Plan choose(const Work& work, const CostTable& costs = kCosts);

}  // namespace knarr
