// Quantised rows in a snapshot: section "engine.short".
//
//     u32 kQuantisedVersion, u32 dim, u64 rows, zeros up to 64 bytes, then the rows as
//     quantised_rows.h draws them
//
// They are mapped as they are. A file without them, or with those of another version, has its
// vectors quantised again as it is loaded.
#pragma once

#include <cstddef>
#include <memory>

#include "filter/rows.h"
#include "snapshot/snapshot.h"
#include "vectors/store.h"

namespace knarr {

inline constexpr std::uint32_t kQuantisedVersion = 2;

// Writes those of the rows `kept`; nothing when there are none.
void save_quantised_rows(const VectorView& view, const RowSet& kept, SnapshotWriter& writer);

// The quantised rows of a file of `rows` rows; none when the file has none of this version. Throws
// Error kCorruption when they do not fit the rows, or a scale or slack is no finite length.
AdoptedQuantisedRows load_quantised_rows(const std::shared_ptr<const Snapshot>& snapshot,
                                         const RowFormat& format, std::size_t rows);

}  // namespace knarr
