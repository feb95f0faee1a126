// The texts in a snapshot: sections `text.bytes` and `text.blocks`.
//
// Blocks and rows keep their numbers. Loading maps the texts and copies only the match texts of
// those with CRs. Everything is validated; damaged sections throw Error kCorruption.
#pragma once

#include <memory>

#include "grep/text/text.h"
#include "snapshot/snapshot.h"

namespace knarr {

void save_texts(const TextView& texts, SnapshotWriter& writer);

// A snapshot holds at least a byte for each row: a row number beyond the size of its file is
// refused, before memory is allocated up to that number.
TextStore load_texts(const std::shared_ptr<const Snapshot>& snapshot);

}  // namespace knarr
