// Vectors in a snapshot: one section, whose name says the precision: "engine.vectors" for float32,
// "engine.bfloat16", "engine.int8.2". It holds the rows as row_format.h draws them, little-endian,
// one after the other, and is mapped as it is.
#pragma once

#include <cstddef>
#include <memory>

#include "filter/rows.h"
#include "snapshot/snapshot.h"
#include "vectors/store.h"

namespace knarr {

// Writes those of the rows `kept`.
void save_vectors(const VectorView& view, const RowSet& kept, SnapshotWriter& writer);

// The precision of a file's vectors. Throws Error kCorruption for two of them, and
// kUnsupported for int8 as earlier versions wrote it.
Precision stored_precision(const Snapshot& snapshot);

// The vectors of a file of `rows` rows. Throws Error kCorruption when there are none or two sorts
// of them, when they do not fit the rows, or when one is not of length one.
AdoptedVectors load_vectors(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                            std::size_t rows);

}  // namespace knarr
