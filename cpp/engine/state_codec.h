// The namespace in a snapshot, and its rows.
//
//   engine.nodes  u32 next id, four zeros, u64 count, then for each node but the root, in document
//                 order (parents first): u32 id, u32 parent, u32 row (kNoRow: a directory), u32
//                 bytes of its name
//   engine.names  the names, one after the other
//   engine.rows and engine.previews: see engine/mapped_rows.h
//
// Names are not copied: the loaded trie keeps the snapshot alive.
#pragma once

#include <memory>
#include <vector>

#include "engine/state.h"
#include "grep/text/text.h"
#include "snapshot/snapshot.h"

namespace knarr {

// The rows that an engine keeps when it is saved or compacted, and their new numbers.
//
// It keeps the live rows. Of a text that is still alive it also keeps rows that stand for removed
// parts, because byte offsets into the text must not change: one row for each stretch of removed
// parts. So it keeps at most two rows for each live one, and one more for each text. Numbers close
// up, and their order stays.
class KeptRows {
 public:
  explicit KeptRows(StatePtr state);

  const RowSet& rows() const { return rows_; }
  Row count() const { return count_; }
  // kNoRow for a row that is not kept.
  Row number(Row row) const { return numbers_[row]; }
  const std::vector<Row>& numbers() const { return numbers_; }
  // Whether all rows below `end` are kept, and so keep their numbers.
  bool keeps_all_below(Row end) const {
    return end == 0 || (end <= numbers_.size() && numbers_[end - 1] == end - 1);
  }

  // The texts under their new numbers. Nothing is copied: the state keeps the bytes.
  TextStore texts() const;

 private:
  StatePtr state_;
  RowSet rows_;
  std::vector<Row> numbers_;
  std::vector<const Block*> blocks_;
  Row count_ = 0;
};

void save_nodes_and_rows(const State& state, const KeptRows& rows, SnapshotWriter& writer);

// Fills the trie and the rows of each kind, in a state that has its mapped rows already. Throws
// Error kCorruption when the nodes are not a namespace over exactly these rows.
void load_nodes(const std::shared_ptr<const Snapshot>& snapshot, State& state);

// Frees sections in memory that nothing refers to once they are loaded.
void forget_read_sections(Snapshot& snapshot);

}  // namespace knarr
