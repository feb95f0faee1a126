// The edges in a snapshot: sections `edges.questions`, `edges.episodes` and `edges.links`.
//
// Loading bulk-loads each tree from its sorted entries and validates all of them; it throws Error
// kCorruption. NodeIds are stored as they are; the caller checks that they exist.
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
