// Codes in a snapshot: section "engine.codes".
//
//     u32 kCodesVersion, u32 dim, u64 chunks, zeros up to 64 bytes, then the chunks as codes.h
//     draws them
//
// They are mapped as they are. Codes are only ever a shorter form of the vectors beside them: a
// file without them, or with those of another version, is coded again as it is loaded.
#pragma once

#include <cstddef>
#include <memory>

#include "filter/rows.h"
#include "snapshot/snapshot.h"
#include "vectors/codes/codes.h"
#include "vectors/store.h"

namespace knarr {

// The code of a row, and so the estimates it gives, changes with this number only.
inline constexpr std::uint32_t kCodesVersion = 4;

// Writes the codes of the rows `kept`, which in the file follow each other from 0 on. Chunks that
// stay as they are get copied, others are coded again. Nothing is written when there are none.
void save_codes(const VectorView& view, const RowSet& kept, SnapshotWriter& writer);

// The codes of a file of `rows` rows; none when the file has none of this version. Throws Error
// kCorruption when they do not fit the rows or hold numbers that are not finite.
AdoptedCodes load_codes(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                        std::size_t rows);

}  // namespace knarr
