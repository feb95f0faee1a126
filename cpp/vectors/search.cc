// Checks arguments once, picks a plan, runs it, and reports its name. A further plan is one more
// case of `choose` and one more branch of `run`; checks and promises stay here.
#include "vectors/search.h"

#include <cstdint>
#include <span>
#include <utility>

#include "base/error.h"
#include "vectors/exact.h"
#include "vectors/normalise.h"
#include "vectors/scan.h"

namespace knarr {
namespace {

enum class Plan { kExact };

const char* name(Plan plan) {
  switch (plan) {
    case Plan::kExact:
      break;
  }
  return "exact";
}

// By the number of rows a filter allows, and how many are wanted.
Plan choose(std::uint64_t /*rows_allowed*/, std::size_t /*k*/) { return Plan::kExact; }

// Errors name a query by its index, unless it was asked alone.
std::vector<TopKResult> run(const VectorView& view, const RowSet& asked, const float* queries,
                            std::size_t n_queries, std::size_t k, const RowLess& before,
                            bool alone) {
  if (k == 0) fail(ErrorCode::kInvalidArgument, "k is 0, expected at least 1");
  const std::size_t dim = view.dim();
  std::vector<float> unit(n_queries * dim);
  for (std::size_t q = 0; q < n_queries; ++q) {
    const std::span query(queries + q * dim, dim);
    const double length = checked_length(query, "query", alone ? kNoIndex : q);
    scale_to_unit(query, length, unit.data() + q * dim);
  }

  const bool inside = asked.empty() || asked.last() < view.size();
  const RowSet allowed = inside ? asked : asked & RowSet::range(0, view.size());
  const Plan plan = choose(allowed.size(), k);
  auto found = exact_top_k(view, allowed, unit.data(), n_queries, k, before, scan_kernel());
  std::vector<TopKResult> results(n_queries);
  for (std::size_t q = 0; q < n_queries; ++q) results[q] = {std::move(found[q]), name(plan)};
  return results;
}

}  // namespace

TopKResult top_k(const VectorView& view, const RowSet& allowed, const float* query, std::size_t k,
                 const RowLess& before) {
  return std::move(run(view, allowed, query, 1, k, before, true).front());
}

std::vector<TopKResult> top_k_batch(const VectorView& view, const RowSet& allowed,
                                    const float* queries, std::size_t n_queries, std::size_t k,
                                    const RowLess& before) {
  return run(view, allowed, queries, n_queries, k, before, false);
}

}  // namespace knarr
