// The graph in a snapshot, so that it need not be made again: section "engine.graph", drawn in
// FORMAT.md of the snapshot room. It is read in the background after the rest, and one that does
// not fit is made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "filter/rows.h"
#include "snapshot/snapshot.h"
#include "vectors/graph/graph.h"

namespace knarr {

inline constexpr std::uint32_t kGraphVersion = 2;

// A graph is left out of a file that leaves out more than one in so many of its rows.
inline constexpr std::size_t kMostLeftOut = 4;

class GraphCodec {
 public:
  // `kept` are the rows that go into the file, where they close up. A graph may be newer than they
  // are. Slots of other rows bring their short rows along, for they lead on to others.
  static void save(const Graph& graph, const RowSet& kept, SnapshotWriter& writer);

  // A graph of the first `rows` rows of the view, which are those of the file. Null when the file
  // has none, or one that does not hold all rows of `live` that it should, or is not whole.
  static GraphPtr load(const Snapshot& snapshot, std::size_t rows, const VectorView& view,
                       const RowSet& live);
};

}  // namespace knarr
