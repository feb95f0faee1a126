// Algorithm 3: from seeds over their edges to targets, by the likeness of questions.
//
// An edge leads straight to its question, whose short form tells most that are not like the query
// apart, by a bound that always holds; it is a quarter of the memory, and there the time goes. Only
// the rest are compared in full, each question once, and only targets of those are asked for.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "edges/edges.h"
#include "edges/question.h"
#include "vectors/short_rows.h"

namespace knarr {

struct EdgeStore::Candidate {
  Activation edge;
  const float* question;
};

namespace {

// Asks for memory that is read a little later, when more edges are known.
void fetch(const std::byte* begin, std::size_t size) {
  for (std::size_t at = 0; at < size; at += 64) __builtin_prefetch(begin + at);
}

// Distinct seeds, in order: there are few.
std::vector<NodeId> distinct(std::span<const NodeId> seeds) {
  constexpr std::size_t kFew = 64;
  std::vector<NodeId> out;
  out.reserve(seeds.size());
  if (seeds.size() <= kFew) {
    for (const NodeId seed : seeds) {
      if (std::find(out.begin(), out.end(), seed) == out.end()) out.push_back(seed);
    }
    return out;
  }
  std::unordered_set<NodeId> seen;
  for (const NodeId seed : seeds) {
    if (seen.insert(seed).second) out.push_back(seed);
  }
  return out;
}

}  // namespace

double product(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += double{a[i + lane]} * b[i + lane];
    }
  }
  for (; i < a.size(); ++i) sums[i % kLanes] += double{a[i]} * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// The seeds' edges that are active, not expired, and alike: in the order of the seeds, and of each
// by target and episode.
std::vector<EdgeStore::Candidate> EdgeStore::alike(std::span<const NodeId> seeds,
                                                   std::span<const float> unit,
                                                   const ExpandOptions& options) const {
  constexpr std::size_t kBlock = 256;  // edges whose questions are asked for together
  const ShortShape shape(dim_);
  const ShortQuery query(unit, shape);
  const ShortSide side = query.side();
  const ShortBound bound = query.bound(options.gamma);
  const ShortCosines cosines_of = short_cosines();
  std::vector<Candidate> found, block;
  block.reserve(kBlock);
  std::array<const std::byte*, kBlock> rows;
  std::array<float, kBlock> cosines, slacks;
  std::unordered_map<const float*, float> compared;

  const auto similarity_of = [&](const float* question) {
    const auto [known, fresh] = compared.try_emplace(question, 0.0f);
    if (fresh) {
      known->second = static_cast<float>(std::clamp(product({question, dim_}, unit), -1.0, 1.0));
    }
    return known->second;
  };
  const auto flush = [&] {
    for (std::size_t i = 0; i < block.size(); ++i) {
      rows[i] = Question::short_row(block[i].question, dim_);
    }
    cosines_of(rows.data(), block.size(), &side, 1, shape.numbers, cosines.data(), block.size(),
               slacks.data());
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (!bound.is_within(cosines[i], slacks[i])) continue;
      block[i].edge.similarity = similarity_of(block[i].question);
      if (block[i].edge.similarity >= options.gamma) found.push_back(block[i]);
    }
    block.clear();
  };

  for (const NodeId seed : distinct(seeds)) {
    for (auto at = forward_.lower_bound(Triple{seed, 0, 0}); at.valid() && at.key().a == seed;
         at.next()) {
      const State& state = at.value();
      if (!state.active || state.expires_at_s <= options.now_s) continue;
      fetch(Question::short_row(state.question, dim_), shape.size_bytes);
      block.push_back({{at.key().b, seed, at.key().c, 0.0f}, state.question});
      if (block.size() == kBlock) flush();
    }
  }
  flush();
  return found;
}

std::vector<Activation> EdgeStore::expand(std::span<const NodeId> seeds,
                                          std::span<const float> query,
                                          const ExpandOptions& options,
                                          FunctionRef<bool(NodeId)> allowed,
                                          FunctionRef<bool(NodeId, NodeId)> before) const {
  const std::vector<float> unit = normalised(query);
  if (!(options.gamma >= -1.0f && options.gamma <= 1.0f)) {
    fail(ErrorCode::kInvalidArgument,
         "gamma: expected -1 to 1, got " + std::to_string(options.gamma));
  }
  if (edge_count() == 0) return {};
  std::vector<Candidate> candidates = alike(seeds, unit, options);
  // The best edge of each target comes first; of equal ones the earlier.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.edge.target != b.edge.target ? a.edge.target < b.edge.target
                                                           : a.edge.similarity > b.edge.similarity;
                   });
  std::vector<Activation> found;
  NodeId last = kNoNode;
  for (const Candidate& each : candidates) {
    // The rights are asked last, and once for each target: they cost most.
    if (each.edge.target != last && allowed(each.edge.target)) found.push_back(each.edge);
    last = each.edge.target;
  }
  std::stable_sort(found.begin(), found.end(), [&](const Activation& a, const Activation& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : before(a.target, b.target);
  });
  if (found.size() > options.limit) found.resize(options.limit);
  return found;
}

}  // namespace knarr
