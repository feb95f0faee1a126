// Short rows in a snapshot: section "engine.short".
//
//     u32 kShortVersion, u32 dim, u64 rows, zeros up to 64 bytes, then the rows as short_rows.h
//     draws them
//
// They are mapped as they are. A file without them, or with those of another version, has its
// vectors shortened again as it is loaded.
#pragma once

#include <cstddef>
#include <memory>

#include "filter/rows.h"
#include "snapshot/snapshot.h"
#include "vectors/store.h"

namespace knarr {

inline constexpr std::uint32_t kShortVersion = 2;

// Writes those of the rows `kept`; nothing when there are none.
void save_short_rows(const VectorView& view, const RowSet& kept, SnapshotWriter& writer);

// The short rows of a file of `rows` rows; none when the file has none of this version. Throws
// Error kCorruption when they do not fit the rows, or a scale or slack is no finite length.
AdoptedShortRows load_short_rows(const std::shared_ptr<const Snapshot>& snapshot,
                                 const RowFormat& format, std::size_t rows);

}  // namespace knarr
