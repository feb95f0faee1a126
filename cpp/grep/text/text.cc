#include "grep/text/text.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace knarr {
namespace {

std::string slice_name(std::size_t i) { return "slice " + std::to_string(i); }

// `size`: the bytes of the text that the slices must cover.
template <class Slices>
void check_slices(std::size_t size, const Slices& slices, std::size_t count) {
  if (size >= UINT32_MAX) {
    fail(ErrorCode::kInvalidArgument,
         "a text of " + std::to_string(size) + " bytes: expected less than 4 GiB");
  }
  std::uint32_t at = 0;
  Row least = 0;  // of the next row
  for (std::uint32_t i = 0; i < count; ++i) {
    const Slice slice = slices[i];
    if (slice.row == kNoRow || slice.row < least) {
      fail(ErrorCode::kInvalidArgument, slice_name(i) + ": rows must ascend");
    }
    if (slice.begin_byte != at || slice.end_byte < at || slice.end_byte > size) {
      fail(ErrorCode::kInvalidArgument,
           slice_name(i) + ": expected it to begin at byte " + std::to_string(at) +
               " and end by byte " + std::to_string(size) + ", got [" +
               std::to_string(slice.begin_byte) + ", " + std::to_string(slice.end_byte) + ")");
    }
    at = slice.end_byte;
    least = slice.row + 1;
  }
  if (count == 0 || at != size) {
    fail(ErrorCode::kInvalidArgument, "the slices end at byte " + std::to_string(at) +
                                          ", expected the text's " + std::to_string(size));
  }
}

void check_text(std::string_view text, const SliceTable& slices) {
  const std::size_t bad = first_invalid_utf8(text);
  if (bad != text.size()) {
    fail(ErrorCode::kInvalidArgument, "the text is not UTF-8 at byte " + std::to_string(bad));
  }
  for (std::uint32_t i = 0; i < slices.count; ++i) {
    const std::uint32_t begin = slices[i].begin_byte;
    if (begin < text.size() && !begins_character(text[begin])) {
      fail(ErrorCode::kInvalidArgument, slice_name(i) + ": it begins inside a character");
    }
  }
}

}  // namespace

Block::Block(std::string_view text, std::shared_ptr<const void> owner,
             std::span<const Slice> slices)
    : text_(text), owner_(std::move(owner)) {
  check_slices(text_.size(), slices, slices.size());
  own_slices_.reserve(2 * slices.size());
  for (const Slice& slice : slices) own_slices_.push_back(slice.row);
  for (const Slice& slice : slices) own_slices_.push_back(slice.end_byte);
  slices_ = {own_slices_.data(), own_slices_.data() + slices.size(),
             static_cast<std::uint32_t>(slices.size())};
  check_text(text_, slices_);
  auto lines = std::make_unique<const LineIndex>(text_);
  match_size_ = static_cast<std::uint32_t>(lines->match_text(text_).size());
  lines_.store(lines.release(), std::memory_order_relaxed);
}

Block::Block(std::string_view text, std::shared_ptr<const UncheckedTexts> texts,
             std::uint32_t match_size, SliceTable slices)
    : text_(text), unchecked_(texts.get()), match_size_(match_size), slices_(slices) {
  owner_ = std::move(texts);
  check_slices(text_.size(), slices_, slices_.count);
}

// Threads that come here at the same time all read the text; the line index of the first is kept.
const LineIndex& Block::read() const {
  unchecked_->check(text_);
  try {
    check_text(text_, slices_);
  } catch (const Error& error) {
    unchecked_->refuse(error.what());
  }
  auto made = std::make_unique<const LineIndex>(text_);
  if (made->match_text(text_).size() != match_size_) {
    unchecked_->refuse("a text whose line ends are not those that were written");
  }
  const LineIndex* known = nullptr;
  if (lines_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;
}

std::string_view Block::slice_text(std::uint32_t i) const {
  const Slice slice = slices_[i];
  return text().substr(slice.begin_byte, slice.end_byte - slice.begin_byte);
}

std::uint32_t Block::slice_at(std::uint32_t byte) const {
  byte = std::min(byte, size() - 1);
  const std::uint32_t* const end = slices_.ends + slices_.count;
  return static_cast<std::uint32_t>(std::upper_bound(slices_.ends, end, byte) - slices_.ends);
}

std::uint32_t Block::slice_from(Row row) const {
  const Row* const end = slices_.rows + slices_.count;
  return static_cast<std::uint32_t>(std::lower_bound(slices_.rows, end, row) - slices_.rows);
}

std::uint32_t Block::line_at(std::uint32_t byte) const {
  return lines().line_at(match_text(), to_match(byte)).number;
}

std::uint32_t Block::line_begin(std::uint32_t byte) const {
  return to_text(lines().line_at(match_text(), to_match(byte)).begin_byte);
}

std::uint32_t Block::line_end(std::uint32_t byte) const {
  const std::string_view text = match_text();
  if (text.empty()) return 0;
  const std::size_t from = std::min<std::size_t>(to_match(byte), text.size() - 1);
  const std::size_t end = text.find('\n', from);
  return end == std::string_view::npos ? size() : to_text(static_cast<std::uint32_t>(end));
}

std::size_t Block::size_bytes() const {
  const LineIndex* lines = lines_.load(std::memory_order_acquire);
  return sizeof(Block) + text_.size() + slices_.count * (sizeof(Row) + sizeof(std::uint32_t)) +
         (lines == nullptr ? 0 : sizeof *lines + lines->size_bytes());
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

std::uint32_t TextView::text_size(Row row) const {
  const TextPlace where = place(row);
  if (where.block == kNoBlock) return 0;
  const Slice slice = blocks_[where.block]->slice(where.slice);
  return slice.end_byte - slice.begin_byte;
}

std::optional<std::vector<PageUnit::Table>> TextView::plain_index() const {
  std::vector<std::uint32_t> sizes(block_count());
  for (BlockId id = 0; id < block_count(); ++id) {
    if (block(id)) sizes[id] = block(id)->match_size();
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

// There may be rows without a text between the rows of a block, or before its first. They may get
// one later, when objects of two directories are added in turns; so places are set, not only
// appended.
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
    places_.grow(end);
    for (std::uint32_t i = 0; i < n; ++i) places_.set(blocks_[id]->slice(i).row, {id, i});
    pages_.add(id, blocks_[id]->match_size());
  } catch (...) {
    rollback(before);
    throw;
  }
  return id;
}

void TextStore::release(BlockId id) {
  if (id >= blocks_.size()) fail(ErrorCode::kNotFound, "no block " + std::to_string(id));
  if (!blocks_[id]) return;
  pages_.release(blocks_[id]->match_size());
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
