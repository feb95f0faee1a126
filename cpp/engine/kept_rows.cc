#include "engine/kept_rows.h"

namespace knarr {
namespace {

// The slices of a block, those that touch and whose rows are gone joined; none when all are gone.
std::vector<Slice> kept_slices(const Block& block, const RowSet& live) {
  std::vector<Slice> out;
  bool is_gone = false, has_live = false;  // the slice before; any slice
  for (std::uint32_t i = 0; i < block.slice_count(); ++i) {
    const Slice slice = block.slice(i);
    const bool was_gone = is_gone;
    is_gone = !live.contains(slice.row);
    has_live = has_live || !is_gone;
    if (is_gone && was_gone) {
      out.back().end_byte = slice.end_byte;
    } else {
      out.push_back(slice);
    }
  }
  return has_live ? out : std::vector<Slice>();
}

}  // namespace

KeptRows::KeptRows(StatePtr state) : state_(std::move(state)) {
  const RowSet& live = state_->live();
  rows_ = live;
  for (BlockId id = 0; id < state_->texts.block_count(); ++id) {
    const Block* block = state_->texts.block(id);
    if (block == nullptr) continue;
    const std::vector<Slice> slices = kept_slices(*block, live);
    if (slices.empty()) continue;
    blocks_.push_back(block);
    for (const Slice& slice : slices) {
      if (!live.contains(slice.row)) rows_.add_range(slice.row, slice.row + 1);
    }
  }
  numbers_.assign(state_->vectors.size(), kNoRow);
  rows_.for_each_range([this](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) numbers_[row] = count_++;
  });
}

TextStore KeptRows::texts() const {
  TextStore store;
  for (const Block* block : blocks_) {
    std::vector<Slice> slices = kept_slices(*block, state_->live());
    for (Slice& slice : slices) slice.row = number(slice.row);
    store.append_mapped(block->text(), state_, slices);
  }
  if (blocks_.size() == state_->texts.block_count()) {  // nothing is left out: nor of the index
    const auto index = state_->texts.plain_index();
    if (index && index->size() == store.index_units().count()) store.adopt_index(*index);
  }
  return store;
}

}  // namespace knarr
