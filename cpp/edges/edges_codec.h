// The edges in a snapshot: sections `edges.questions`, `edges.episodes` and `edges.links`.
//
// Loading packs the trees, each from its entries in order, and validates: what does not fit throws
// Error kCorruption. NodeIds are stored as they are; that they exist is for the caller to check.
#pragma once

#include "edges/edges.h"
#include "snapshot/snapshot.h"

namespace knarr {

class EdgeCodec {
 public:
  static void save(const EdgeStore& edges, SnapshotWriter& writer);
  static EdgeStore load(const Snapshot& snapshot);

 private:
  class Loader;
};

}  // namespace knarr
