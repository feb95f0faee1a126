// The canonical texts, in blocks.
//
// A Block is one document's canonical text (or one abstract's) cut into slices, one per row,
// ascending and adjacent: joined in order the slices are the text. Text is kept byte for byte as it
// was given. Patterns run on `match_text()`, where CRLF and a lone CR are one LF; it is the text
// itself unless the text has a CR. A Block never changes. The text of a mapped file is read and
// checked when something of it is first asked for: until then a Block is its slices.
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

#include "base/types.h"
#include "grep/index/page_index.h"
#include "grep/text/lines.h"
#include "grep/text/segments.h"

namespace knarr {

struct Slice {
  Row row;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;

  bool operator==(const Slice&) const = default;
};

// The slices of a text in memory of somebody else: each one's row, and where it ends.
struct SliceTable {
  const Row* rows;
  const std::uint32_t* ends;
  std::uint32_t count;

  Slice operator[](std::uint32_t i) const { return {rows[i], i == 0 ? 0 : ends[i - 1], ends[i]}; }
};

// Where a row's text stands.
struct TextPlace {
  BlockId block = kNoBlock;  // kNoBlock: the row has no text
  std::uint32_t slice = 0;
};

// Texts that are yet to be checked, and their owner. Any thread.
class UncheckedTexts {
 public:
  virtual ~UncheckedTexts() = default;
  // Throws Error kCorruption when these bytes are not those that were written; refuse() does for
  // another `reason`.
  virtual void check(std::string_view bytes) const = 0;
  [[noreturn]] virtual void refuse(std::string_view reason) const = 0;
};

class Block {
 public:
  // `text` lives as long as `owner`. Throws Error kInvalidArgument unless the slices' rows ascend
  // and their bytes are adjacent and cover the text, which is valid UTF-8 under 4 GiB; no slice
  // begins inside a character.
  Block(std::string_view text, std::shared_ptr<const void> owner, std::span<const Slice> slices);
  // The same of a text that is left unread, and whose slices live as long as `texts`. What says
  // something of its bytes then throws, each time, what `texts` throws, and that for a text that
  // the constructor above would refuse or whose match text has not `match_size` bytes.
  Block(std::string_view text, std::shared_ptr<const UncheckedTexts> texts,
        std::uint32_t match_size, SliceTable slices);
  ~Block() { delete lines_.load(std::memory_order_relaxed); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::string_view text() const {
    lines();
    return text_;
  }
  // These two need no text.
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
  // From a byte of match_text() to one of text() and back. A byte inside a CRLF maps to its LF.
  std::uint32_t to_text(std::uint32_t match_byte) const { return lines().to_text(match_byte); }
  std::uint32_t to_match(std::uint32_t byte) const { return lines().to_match(byte); }

  std::size_t size_bytes() const;  // memory held, the text included

 private:
  const LineIndex& lines() const {
    const LineIndex* known = lines_.load(std::memory_order_acquire);
    return known != nullptr ? *known : read();
  }
  const LineIndex& read() const;

  std::string_view text_;
  std::shared_ptr<const void> owner_;
  const UncheckedTexts* unchecked_ = nullptr;  // also the owner; null: the text was read
  std::uint32_t match_size_ = 0;
  SliceTable slices_{};
  std::vector<std::uint32_t> own_slices_;                  // what slices_ shows, or none
  mutable std::atomic<const LineIndex*> lines_ = nullptr;  // ours; null until the text is read
};

class TextView {
 public:
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()); }
  // Null when the block was released. id < block_count().
  const Block* block(BlockId id) const { return blocks_[id].get(); }

  // Rows are below this. Higher ones have no text.
  Row rows_end() const { return static_cast<Row>(places_.size()); }
  // Of any row; block is kNoBlock when it has no text (or its block was released).
  TextPlace place(Row row) const;
  // The row's text; empty when it has none.
  std::string_view text(Row row) const;
  std::uint32_t text_size(Row row) const;  // its bytes; reads no text

  // Where a piece of text may be.
  const PageIndex::View& pages() const { return pages_; }
  // The tables of the index, when they say all of it by themselves; see TextStore::adopt_index.
  std::optional<std::vector<PageUnit::Table>> plain_index() const;

 private:
  friend class TextStore;
  Segments<std::shared_ptr<const Block>>::View blocks_;
  Segments<TextPlace, 4096>::View places_;
  PageIndex::View pages_;
};

class TextStore {
 public:
  // Pages of another size are for tests.
  explicit TextStore(std::uint32_t page_bytes = kPageBytes) : pages_(page_bytes) {}

  // Appends a block. A row of it that has a text already throws Error kInvalidArgument. A call that
  // throws has changed nothing.
  BlockId append(std::string text, std::span<const Slice> slices);
  // The same without a copy: `owner` keeps the bytes of `text` alive (a mapped snapshot).
  BlockId append_mapped(std::string_view text, std::shared_ptr<const void> owner,
                        std::span<const Slice> slices);
  BlockId append(std::shared_ptr<const Block> block);
  // Keeps the number of a block that has no text, as a released one has.
  BlockId append_released();

  // Lets go of a block's text for views taken from now on. Its rows have no text then.
  void release(BlockId id);

  // What an abandoned draft appended can be taken back: mark() before, rollback(mark) after.
  // Views taken in between must not be read any more.
  struct Mark {
    std::size_t blocks;
    std::size_t places;
  };
  Mark mark() const { return {blocks_.size(), places_.size()}; }
  void rollback(Mark mark);

  TextView view();                 // also indexes what was appended since the last one
  std::size_t size_bytes() const;  // O(blocks)

  // A new store's index comes from what was made of the same blocks before, instead of from the
  // texts: the tables of a plain view (PageIndex::View::is_plain), those of index_units(),
  // before this store's first view is taken.
  PageIndex::Units index_units() const { return pages_.full_units(); }
  void adopt_index(std::span<const PageUnit::Table> tables) { pages_.adopt(tables); }

 private:
  Segments<std::shared_ptr<const Block>> blocks_;
  Segments<TextPlace, 4096> places_;
  PageIndex pages_;
};

}  // namespace knarr
