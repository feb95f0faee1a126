// Checks arguments once, picks a plan, runs it, and reports its name. A further plan is one more
// case of `choose` and one more branch of `run`; checks and promises stay here.
#include "vectors/search.h"

#include <cstdint>
#include <memory>
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

// The queries as unit vectors, each at a multiple of 64 bytes: loads that cross cache lines would
// cost a batch a third of its speed.
class UnitQueries {
 public:
  // Errors name a query by its index, unless it was asked alone.
  UnitQueries(const float* queries, std::size_t n, std::size_t dim, bool alone) {
    const std::size_t stride = (dim + kLine - 1) / kLine * kLine;
    memory_.resize(n * stride + kLine);
    void* at = memory_.data();
    std::size_t room = memory_.size() * sizeof(float);
    auto* out = static_cast<float*>(std::align(kLine * sizeof(float), sizeof(float), at, room));
    for (std::size_t q = 0; q < n; ++q, out += stride) {
      const std::span query(queries + q * dim, dim);
      scale_to_unit(query, checked_length(query, "query", alone ? kNoIndex : q), out);
      all_.push_back(out);
    }
  }

  std::span<const float* const> all() const { return all_; }

 private:
  static constexpr std::size_t kLine = 16;  // floats in 64 bytes
  std::vector<float> memory_;
  std::vector<const float*> all_;
};

std::vector<TopKResult> run(const VectorView& view, const RowSet& asked, const float* queries,
                            std::size_t n_queries, std::size_t k, const RowLess& before,
                            bool alone) {
  if (k == 0) fail(ErrorCode::kInvalidArgument, "k is 0, expected at least 1");
  const UnitQueries unit(queries, n_queries, view.dim(), alone);
  const bool inside = asked.empty() || asked.last() < view.size();
  const RowSet allowed = inside ? asked : asked & RowSet::range(0, view.size());
  const Plan plan = choose(allowed.size(), k);
  auto found = exact_top_k(view, allowed, unit.all(), k, before, scan_kernel());
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
