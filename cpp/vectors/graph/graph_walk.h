// A walk through a graph towards a query.
//
// From the nearest slot that the upper levels lead to, the links of the nearest slot not yet
// followed are followed, until the `expansion` nearest allowed rows are known and no slot that is
// left is nearer than the farthest of them (Malkov and Yashunin, algorithm 2). Rows that the filter
// does not allow lead on and are not kept: the fewer are allowed, the farther it goes, about as far
// as an unfiltered walk with expansion / (allowed share). So a walk has a bound.
//
// USearch has a search of its own, which this replaces: it has no bound, keeps its scratch memory
// in the index, so that a fixed number of threads may search, and compares one row at a time, which
// takes 1.7 times as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "filter/rows.h"
#include "vectors/candidates.h"
#include "vectors/graph/graph.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

struct Walked {
  std::vector<Candidate> nearest;  // `expansion` allowed rows, or all that there are to find
  std::uint64_t compared = 0;      // slots, allowed or not
  bool is_done = false;            // false: `most` slots were compared, and there were more to see
};

// Requires a graph that is not empty. A walk depends on graph, query, filter and numbers only.
Walked walk(const Graph& graph, const QuantisedQuery& query, std::size_t expansion,
            const RowSet& allowed, std::uint64_t most, QuantisedCosines cosines);

}  // namespace knarr
