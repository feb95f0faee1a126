// KeptRows: the rows that go on when an engine is saved or compacted, and their new numbers.
//
// Kept are the live rows, and of a text that lives on the rows that stand for its removed parts,
// since offsets into it must stay: one for each stretch of them. So at most two rows are kept for
// each live one, and one more for each text. Numbers close up; their order stays.
#pragma once

#include <vector>

#include "engine/state.h"
#include "grep/text/text.h"

namespace knarr {

class KeptRows {
 public:
  explicit KeptRows(StatePtr state);

  const RowSet& rows() const { return rows_; }
  Row count() const { return count_; }
  // kNoRow for a row that is not kept.
  Row number(Row row) const { return numbers_[row]; }
  const std::vector<Row>& numbers() const { return numbers_; }

  // The texts under their new numbers. Nothing is copied: the state keeps the bytes.
  TextStore texts() const;

 private:
  StatePtr state_;
  RowSet rows_;
  std::vector<Row> numbers_;
  std::vector<const Block*> blocks_;
  Row count_ = 0;
};

}  // namespace knarr
