// A VectorStore in a snapshot: three sections, mapped as they are.
//
//     engine.vectors    the rows as row_format.h draws them, little-endian, one after the other; in
//                       a snapshot of another precision "engine.bfloat16" or "engine.int8" instead
//     engine.short      u32 kQuantisedVersion, u32 dim, u64 rows, zeros up to 64 bytes, then the
//     rows as
//                       quantised_rows.h draws them
//     engine.codes      u32 kCodesVersion, u32 dim, u64 chunks, zeros up to 64 bytes, then the
//                       chunks as codes.h draws them
//
// Quantised rows and codes are shorter forms of the vectors beside them. A file without them, or
// with those of another version, is read all the same: they are made again as it is loaded.
#pragma once

#include <cstddef>
#include <memory>

#include "filter/rows.h"
#include "snapshot/snapshot.h"
#include "vectors/codes/codes.h"
#include "vectors/store.h"

namespace knarr {

inline constexpr std::uint32_t kQuantisedVersion = 2;
// The code of a row, and so the estimates that it gives, change with this number only.
inline constexpr std::uint32_t kCodesVersion = 4;

// Each writes its section for the rows `kept`, which in the file follow each other from 0 on. Short
// rows and codes are left out where there are none. Chunks of codes that hold the same rows as
// before are copied, others are coded again.
void save_vectors(const VectorView& view, const RowSet& kept, SnapshotWriter& writer);
void save_quantised_rows(const VectorView& view, const RowSet& kept, SnapshotWriter& writer);
void save_codes(const VectorView& view, const RowSet& kept, SnapshotWriter& writer);

// The precision of a file's vectors. Throws Error kCorruption for two of them.
Precision stored_precision(const Snapshot& snapshot);

// Each loads its section of a file of `rows` rows, and throws Error kCorruption when it does not
// fit them or holds numbers that cannot be: a vector that is not of length one, a number that is
// not finite. Vectors must be there. Quantised rows and codes are empty when the file has none of
// this version.
AdoptedVectors load_vectors(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                            std::size_t rows);
AdoptedQuantisedRows load_quantised_rows(const std::shared_ptr<const Snapshot>& snapshot,
                                         const RowFormat& format, std::size_t rows);
AdoptedCodes load_codes(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                        std::size_t rows);

}  // namespace knarr
