// The namespace in a snapshot, and its rows.
//
//   engine.nodes  u32 next id, four zeros, u64 count, then for each node but the root, in document
//                 order (parents first): u32 id, u32 parent, u32 row (kNoRow: a directory), u32
//                 bytes of its name
//   engine.names  the names, one after the other
//   engine.rows and engine.previews: see engine/mapped_rows.h
//
// Names are not copied: the trie that is read keeps the snapshot.
#pragma once

#include <memory>

#include "engine/kept_rows.h"
#include "engine/state.h"
#include "snapshot/snapshot.h"

namespace knarr {

void save_nodes_and_rows(const State& state, const KeptRows& rows, SnapshotWriter& writer);

// Fills the trie and the rows of each kind of a state that has its mapped rows. Throws Error
// kCorruption for what is no namespace over just these rows.
void load_nodes(const std::shared_ptr<const Snapshot>& snapshot, State& state);

// Lets go of sections in memory that nobody reads any more.
void forget_read_sections(Snapshot& snapshot);

}  // namespace knarr
