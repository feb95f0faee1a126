// Edges of nodes that are known already, as search and expansion follow them.
#pragma once

#include <cstddef>
#include <span>

#include "engine/results.h"
#include "filter/rows.h"

namespace knarr {

// Throws Error kInvalidArgument that names `what`.
void check_width(const char* what, std::span<const float> values, std::size_t dim);

// EdgeStore::expand over the nodes' edges, to targets that hold rows of `allowed`: the first
// `limit`.
Expansion expand_nodes(const StatePtr& state, std::span<const NodeId> seeds,
                       std::span<const float> query, const RowSet& allowed, float gamma,
                       std::size_t limit);

}  // namespace knarr
