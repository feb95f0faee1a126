// The edges in a snapshot: sections `edges.questions`, `edges.episodes` and `edges.links`.
//
// Loading rebuilds the trees and validates: what does not fit throws Error kCorruption. NodeIds are
// stored as they are; that they exist is for the caller to check.
#pragma once

#include "edges/edges.h"
#include "snapshot/snapshot.h"

namespace knarr {

class EdgeCodec {
 public:
  static void save(const EdgeStore& edges, SnapshotWriter& writer);
  static EdgeStore load(const Snapshot& snapshot);

 private:
  static EdgeStore read_questions(const Snapshot& snapshot);
  static void read_episodes(const Snapshot& snapshot, EdgeStore& edges);
  static void read_links(const Snapshot& snapshot, EdgeStore& edges);
  static void check_users(const Snapshot& snapshot, const EdgeStore& edges);
};

}  // namespace knarr
