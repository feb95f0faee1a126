// The canonical texts, in blocks.
//
// A Block is the canonical text of one document (or one abstract), cut into slices, one per row,
// which ascend and are adjacent: joined in order they are the text. The text is kept byte for byte.
// Patterns run on `match_text()`, where CRLF and a lone CR are one LF; it is the text itself unless
// the text has a CR. A Block never changes. The text of a mapped file is read and checked on first
// use; until then a Block is only its slices.
//
// Lines end with LF, CRLF or a lone CR, and are numbered from 1. Offsets are bytes of the text.
//
// Threads: a TextStore has one writer; Blocks and TextViews may be read from any thread while it
// appends. A TextView keeps its blocks alive; string_views and Block pointers live as long as it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/segments.h"
#include "base/types.h"
#include "grep/index/page_index.h"
#include "grep/text/line_index.h"

namespace knarr {

struct Slice {
  Row row;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;

  bool operator==(const Slice&) const = default;
};

// Slices in memory that somebody else owns: the row of each, and where it ends.
struct SliceTable {
  const Row* rows;
  const std::uint32_t* ends;
  std::uint32_t count;

  Slice operator[](std::uint32_t i) const { return {rows[i], i == 0 ? 0 : ends[i - 1], ends[i]}; }
};

// The place of a row's text.
struct TextPlace {
  BlockId block = kNoBlock;  // kNoBlock: the row has no text
  std::uint32_t slice = 0;
};

// The owner of texts that are mapped and not yet checked. Any thread.
class UncheckedTexts {
 public:
  virtual ~UncheckedTexts() = default;
  // Throws Error kCorruption when these bytes are not those that were written.
  virtual void check(std::string_view bytes) const = 0;
  // Throws Error kCorruption for another `reason`.
  [[noreturn]] virtual void refuse(std::string_view reason) const = 0;
};

class Block {
 public:
  // `text` lives as long as `owner`. Throws Error kInvalidArgument unless the slices' rows ascend
  // and their bytes are adjacent and cover the text, which is valid UTF-8 under 4 GiB; no slice
  // begins inside a character.
  Block(std::string_view text, std::shared_ptr<const void> owner, std::span<const Slice> slices);
  // The same for a text that is not read yet; its slices live as long as `texts`. Every call that
  // needs the text's bytes then throws what `texts` throws when the text is damaged, when the
  // constructor above would refuse it, or when its match text is not `match_size` bytes long.
  Block(std::string_view text, std::shared_ptr<const UncheckedTexts> texts,
        std::uint32_t match_size, SliceTable slices);
  ~Block() { delete lines_.load(std::memory_order_relaxed); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::string_view text() const {
    lines();
    return text_;
  }
  // These two do not read the text.
  std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  std::uint32_t match_size() const { return match_size_; }

  std::uint32_t slice_count() const { return slices_.count; }
  Slice slice(std::uint32_t i) const { return slices_[i]; }
  std::string_view slice_text(std::uint32_t i) const;
  // The slice that holds this byte; at the end of the text, the one that holds its last byte. The
  // text is not empty.
  std::uint32_t slice_at(std::uint32_t byte) const;
  // The first slice whose row is not below `row`; slice_count() when there is none.
  std::uint32_t slice_from(Row row) const;

  // The number, from 1, of the line that holds this byte (of the last line's end, at the end).
  std::uint32_t line_at(std::uint32_t byte) const;
  // The first byte of that line.
  std::uint32_t line_begin(std::uint32_t byte) const;
  // The end of that line, its line end not included.
  std::uint32_t line_end(std::uint32_t byte) const;

  std::string_view match_text() const { return lines().match_text(text_); }
  // Maps a byte of match_text() to one of text(), and back. A byte inside a CRLF maps to its LF.
  std::uint32_t to_text(std::uint32_t match_byte) const { return lines().to_text(match_byte); }
  std::uint32_t to_match(std::uint32_t byte) const { return lines().to_match(byte); }

  std::size_t size_bytes() const;  // of memory, the text included

 private:
  const LineIndex& lines() const {
    const LineIndex* known = lines_.load(std::memory_order_acquire);
    return known != nullptr ? *known : read();
  }
  const LineIndex& read() const;

  std::string_view text_;
  std::shared_ptr<const void> owner_;
  const UncheckedTexts* unchecked_ =
      nullptr;  // the owner, too; null when the text was read at once
  std::uint32_t match_size_ = 0;
  SliceTable slices_{};
  std::vector<std::uint32_t> own_slices_;                  // what slices_ refers to, if it is ours
  mutable std::atomic<const LineIndex*> lines_ = nullptr;  // owned; null until the text is read
};

class TextView {
 public:
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()); }
  // Null when the block was released. id < block_count().
  const Block* block(BlockId id) const { return blocks_[id].get(); }

  // Rows from here on have no text.
  Row rows_end() const { return static_cast<Row>(places_.size()); }
  // For any row; its block is kNoBlock when it has no text, or its block was released.
  TextPlace place(Row row) const;
  // The row's text; empty when it has none.
  std::string_view text(Row row) const;
  std::uint32_t text_size(Row row) const;  // in bytes; does not read the text

  // The index of pages that may contain a piece of text.
  const PageIndex::View& pages() const { return pages_; }
  // The tables of the index when it is plain (PageIndex::View::is_plain); see
  // TextStore::adopt_index.
  std::optional<std::vector<PageUnit::Table>> plain_index() const;

 private:
  friend class TextStore;
  Segments<std::shared_ptr<const Block>>::View blocks_;
  Segments<TextPlace, 4096>::View places_;
  PageIndex::View pages_;
};

class TextStore {
 public:
  // Tests use smaller pages.
  explicit TextStore(std::uint32_t page_bytes = kPageBytes) : pages_(page_bytes) {}

  // Appends a block. Throws Error kInvalidArgument when one of its rows has a text already. A call
  // that throws has changed nothing.
  BlockId append(std::string text, std::span<const Slice> slices);
  // The same without a copy: `owner`, such as a mapped snapshot, keeps the bytes alive.
  BlockId append_mapped(std::string_view text, std::shared_ptr<const void> owner,
                        std::span<const Slice> slices);
  BlockId append(std::shared_ptr<const Block> block);
  // Takes a block number that has no text, like that of a released block.
  BlockId append_released();

  // Releases a block: in views taken from now on its rows have no text.
  void release(BlockId id);

  // An abandoned draft is undone with mark() before it and rollback(mark) after it. Views taken in
  // between must not be read any more.
  struct Mark {
    std::size_t blocks;
    std::size_t places;
  };
  Mark mark() const { return {blocks_.size(), places_.size()}; }
  void rollback(Mark mark);

  TextView view();                 // also indexes what was appended since the last view
  std::size_t size_bytes() const;  // O(blocks)

  // A new store with the same blocks as a plain view takes over the tables of that view's index,
  // one for each of index_units(), before its own first view is taken. So the texts are not read.
  PageIndex::Units index_units() const { return pages_.full_units(); }
  void adopt_index(std::span<const PageUnit::Table> tables) { pages_.adopt(tables); }

 private:
  Segments<std::shared_ptr<const Block>> blocks_;
  Segments<TextPlace, 4096> places_;
  PageIndex pages_;
};

}  // namespace knarr
