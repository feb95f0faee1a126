// Algorithm 3: from seeds over their edges to targets, by the likeness of questions.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "edges/edges.h"

namespace knarr {
namespace {

float clamped_dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return static_cast<float>(std::clamp(sum, -1.0, 1.0));
}

}  // namespace

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
  std::unordered_map<EpisodeId, float> similarities;  // edges of one episode come in groups
  const auto similarity_of = [&](EpisodeId id) {
    const auto [known, fresh] = similarities.try_emplace(id, 0.0f);
    if (fresh) known->second = clamped_dot(episode(id).vector, unit);
    return known->second;
  };

  std::unordered_map<NodeId, Activation> best;  // by target
  std::unordered_set<NodeId> seen;
  for (const NodeId seed : seeds) {
    if (!seen.insert(seed).second) continue;
    for (auto at = forward_.lower_bound(Triple{seed, 0, 0}); at.valid() && at.key().a == seed;
         at.next()) {
      const State& state = at.value();
      if (!state.active || state.expires_at_s <= options.now_s) continue;
      const auto [source, target, id] = at.key();
      const float similarity = similarity_of(id);
      // The rights are asked last: they cost most.
      if (similarity < options.gamma || !allowed(target)) continue;
      const auto [known, fresh] =
          best.try_emplace(target, Activation{target, source, id, similarity});
      if (!fresh && similarity > known->second.similarity) {
        known->second = {target, source, id, similarity};
      }
    }
  }

  std::vector<Activation> found;
  found.reserve(best.size());
  for (const auto& [target, activation] : best) found.push_back(activation);
  std::sort(found.begin(), found.end(),
            [](const Activation& a, const Activation& b) { return a.target < b.target; });
  std::stable_sort(found.begin(), found.end(), [&](const Activation& a, const Activation& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : before(a.target, b.target);
  });
  if (found.size() > options.limit) found.resize(options.limit);
  return found;
}

}  // namespace knarr
