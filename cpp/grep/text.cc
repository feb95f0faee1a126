#include "grep/text.h"

#include <algorithm>

#include "base/error.h"
#include "grep/utf8.h"

namespace knarr {
namespace {

std::string slice_name(std::size_t i) { return "slice " + std::to_string(i); }

void check_slices(std::string_view text, std::span<const Slice> slices) {
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    if (slice.row == kNoRow || (i > 0 && slice.row <= slices[i - 1].row)) {
      fail(ErrorCode::kInvalidArgument, slice_name(i) + ": rows must ascend");
    }
    if (slice.begin_byte != at || slice.end_byte < at || slice.end_byte > text.size()) {
      fail(ErrorCode::kInvalidArgument,
           slice_name(i) + ": expected it to begin at byte " + std::to_string(at) +
               " and end by byte " + std::to_string(text.size()) + ", got [" +
               std::to_string(slice.begin_byte) + ", " + std::to_string(slice.end_byte) + ")");
    }
    if (at < text.size() && !begins_character(text[at])) {
      fail(ErrorCode::kInvalidArgument, slice_name(i) + ": it begins inside a character");
    }
    at = slice.end_byte;
  }
  if (slices.empty() || at != text.size()) {
    fail(ErrorCode::kInvalidArgument, "the slices end at byte " + std::to_string(at) +
                                          ", expected the text's " + std::to_string(text.size()));
  }
}

std::string_view checked(std::string_view text) {
  if (text.size() >= UINT32_MAX) {
    fail(ErrorCode::kInvalidArgument,
         "a text of " + std::to_string(text.size()) + " bytes: expected less than 4 GiB");
  }
  const std::size_t bad = first_invalid_utf8(text);
  if (bad != text.size()) {
    fail(ErrorCode::kInvalidArgument, "the text is not UTF-8 at byte " + std::to_string(bad));
  }
  return text;
}

}  // namespace

Block::Block(std::string_view text, std::shared_ptr<const void> owner,
             std::span<const Slice> slices)
    : text_(checked(text)), owner_(std::move(owner)), lines_(text) {
  check_slices(text, slices);
  rows_.reserve(slices.size());
  begins_.reserve(slices.size() + 1);
  for (const Slice& slice : slices) {
    rows_.push_back(slice.row);
    begins_.push_back(slice.begin_byte);
  }
  begins_.push_back(size());
}

std::string_view Block::slice_text(std::uint32_t i) const {
  return text_.substr(begins_[i], begins_[i + 1] - begins_[i]);
}

std::uint32_t Block::slice_at(std::uint32_t byte) const {
  byte = std::min(byte, size() - 1);
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), byte);
  return static_cast<std::uint32_t>(after - begins_.begin()) - 1;
}

std::uint32_t Block::slice_from(Row row) const {
  const auto from = std::lower_bound(rows_.begin(), rows_.end(), row);
  return static_cast<std::uint32_t>(from - rows_.begin());
}

std::uint32_t Block::line_at(std::uint32_t byte) const {
  return lines_.line_at(match_text(), to_match(byte)).number;
}

std::uint32_t Block::line_begin(std::uint32_t byte) const {
  return to_text(lines_.line_at(match_text(), to_match(byte)).begin_byte);
}

std::uint32_t Block::line_end(std::uint32_t byte) const {
  const std::string_view text = match_text();
  if (text.empty()) return 0;
  const std::size_t from = std::min<std::size_t>(to_match(byte), text.size() - 1);
  const std::size_t end = text.find('\n', from);
  return end == std::string_view::npos ? size() : to_text(static_cast<std::uint32_t>(end));
}

std::size_t Block::size_bytes() const {
  return sizeof(Block) + text_.size() + rows_.capacity() * sizeof(Row) +
         begins_.capacity() * sizeof(std::uint32_t) + lines_.size_bytes();
}

TextPlace TextView::place(Row row) const {
  if (row >= places_.size()) return {};
  const TextPlace place = places_[row];
  if (place.block == kNoBlock || place.block >= blocks_.size() || !blocks_[place.block]) return {};
  return place;
}

std::string_view TextView::text(Row row) const {
  const TextPlace where = place(row);
  return where.block == kNoBlock ? std::string_view{}
                                 : blocks_[where.block]->slice_text(where.slice);
}

std::optional<std::vector<PageUnit::Table>> TextView::plain_index() const {
  std::vector<std::uint32_t> sizes(block_count());
  for (BlockId id = 0; id < block_count(); ++id) {
    if (block(id)) sizes[id] = static_cast<std::uint32_t>(block(id)->match_text().size());
  }
  if (!pages_.is_plain(sizes)) return std::nullopt;
  std::vector<PageUnit::Table> tables;
  for (std::size_t u = 0; u < pages_.unit_count(); ++u) tables.push_back(pages_.unit(u).table());
  return tables;
}

BlockId TextStore::append(std::string text, std::span<const Slice> slices) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return append(std::make_shared<const Block>(*owner, owner, slices));
}

BlockId TextStore::append_mapped(std::string_view text, std::shared_ptr<const void> owner,
                                 std::span<const Slice> slices) {
  return append(std::make_shared<const Block>(text, std::move(owner), slices));
}

BlockId TextStore::append_released() {
  blocks_.push_back(nullptr);
  return static_cast<BlockId>(blocks_.size() - 1);
}

// Rows without a text lie between a block's rows, or before its first. They may get one later
// (objects of two directories added in turns), so their places are set rather than only appended.
BlockId TextStore::append(std::shared_ptr<const Block> block) {
  const std::uint32_t n = block->slice_count();
  for (std::uint32_t i = 0; i < n; ++i) {
    const Row row = block->slice(i).row;
    if (row < places_.size() && places_[row].block != kNoBlock) {
      fail(ErrorCode::kInvalidArgument, "row " + std::to_string(row) + " has a text already");
    }
  }
  const Mark before = mark();
  const auto id = static_cast<BlockId>(blocks_.size());
  try {
    blocks_.push_back(std::move(block));
    const Row end = blocks_[id]->slice(n - 1).row + 1;
    while (places_.size() < end) places_.push_back({});
    for (std::uint32_t i = 0; i < n; ++i) places_.set(blocks_[id]->slice(i).row, {id, i});
    pages_.add(id, static_cast<std::uint32_t>(blocks_[id]->match_text().size()));
  } catch (...) {
    rollback(before);
    throw;
  }
  return id;
}

void TextStore::release(BlockId id) {
  if (id >= blocks_.size()) fail(ErrorCode::kNotFound, "no block " + std::to_string(id));
  if (!blocks_[id]) return;
  pages_.release(static_cast<std::uint32_t>(blocks_[id]->match_text().size()));
  blocks_.set(id, nullptr);
}

void TextStore::rollback(Mark mark) {
  for (std::size_t id = mark.blocks; id < blocks_.size(); ++id) {
    if (!blocks_[id]) continue;
    for (std::uint32_t i = 0; i < blocks_[id]->slice_count(); ++i) {
      const Row row = blocks_[id]->slice(i).row;
      if (row < mark.places && places_[row].block == id) places_.set(row, {});
    }
  }
  pages_.forget(static_cast<BlockId>(mark.blocks));
  blocks_.truncate(mark.blocks);
  places_.truncate(mark.places);
}

TextView TextStore::view() {
  TextView view;
  view.blocks_ = blocks_.view();
  view.places_ = places_.view();
  const auto text = [this](BlockId id) {
    return blocks_[id] ? blocks_[id]->match_text() : std::string_view{};
  };
  const auto exists = [this](BlockId id) { return blocks_[id] != nullptr; };
  view.pages_ = pages_.view(text, exists);
  return view;
}

std::size_t TextStore::size_bytes() const {
  std::size_t sum = blocks_.size_bytes() + places_.size_bytes() + pages_.size_bytes();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i]) sum += blocks_[i]->size_bytes();
  }
  return sum;
}

}  // namespace knarr
