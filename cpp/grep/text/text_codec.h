// The texts in a snapshot: sections `text.bytes` and `text.blocks`.
//
// Blocks keep their numbers and rows theirs. Loading maps the text and copies nothing but what a
// text with CRs needs; everything is validated, and what does not fit throws Error kCorruption.
#pragma once

#include <memory>

#include "grep/text/text.h"
#include "snapshot/snapshot.h"

namespace knarr {

void save_texts(const TextView& texts, SnapshotWriter& writer);

// A snapshot with rows holds at least a byte for each: a row number that its file is too small for
// is refused, before it could ask for memory up to its number.
TextStore load_texts(const std::shared_ptr<const Snapshot>& snapshot);

}  // namespace knarr
