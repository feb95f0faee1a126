// PageIndex: which pages of the texts may hold a piece of text.
//
// The match texts of the blocks are cut into pages of 2 KiB, and 64 or 512 pages make a unit. A
// unit is a table of bits with a line for each of 4096 hash values and a column for each page: a
// bit says that the page holds a gram, three or four folded bytes in a row, with that hash. So all
// pages of a unit are asked at once, by one AND of lines for each gram; what is looked for is in no
// page that lacks a bit. A page also sees a few bytes behind its end: a text of up to
// kMostClauseBytes that begins in a page is found in that page.
//
// A quarter of the size of the texts, always. Text that does not fill a unit yet (less than 128
// KiB) is not indexed: its spans are pending, and are candidates for everything. Eight small units
// in a row become a large one, a line of which is a line of the processor's cache.
//
// A unit never changes. What it says of blocks that are gone is passed over by those who ask; when
// much text is gone, units that hold little else are given up and what is left of them is indexed
// anew with the next unit.
//
// Threads: one writer, which also takes the views; views may be read from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked_pages.h"
#include "base/function_ref.h"
#include "grep/part.h"
#include "grep/segments.h"

namespace knarr {

using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = 0xFFFF'FFFFu;

// Bytes of a block's match text.
struct PageSpan {
  BlockId block;
  std::uint32_t begin;
  std::uint32_t end;

  bool operator==(const PageSpan&) const = default;
};

inline constexpr std::uint32_t kPageBytes = 2048;
inline constexpr std::size_t kWordPages = 64;  // pages of a word; of a small unit
inline constexpr std::size_t kLargeWords = 8;  // words of a line of a large unit
inline constexpr int kLineBits = 12;
inline constexpr std::size_t kLines = std::size_t{1} << kLineBits;
// Grams that begin this far behind a page's end are still seen.
inline constexpr std::size_t kPageOverlap = kMostClauseBytes;

class PageUnit {
 public:
  using Text = FunctionRef<std::string_view(BlockId)>;

  // Which text makes which page. The spans of page i are [firsts[i], firsts[i + 1]).
  struct Layout {
    std::vector<PageSpan> spans;
    std::vector<std::uint32_t> firsts;

    std::size_t pages() const { return firsts.size() - 1; }
  };
  // The bits: kLines lines of pages / 64 words each, alive as long as `owner`. Where there are
  // `checks`, as many pages of these as the words in a line, from `first_check` on, must be needed
  // before the bits may be used.
  struct Table {
    const std::uint64_t* words;
    std::shared_ptr<const void> owner;
    std::shared_ptr<const CheckedPages> checks = {};
    std::size_t first_check = 0;
  };

  PageUnit(Layout layout, Text text);  // makes the table of a small unit
  PageUnit(Layout layout, Table table) : layout_(std::move(layout)), table_(std::move(table)) {}
  // A large unit of kLargeWords small ones.
  explicit PageUnit(std::span<const std::shared_ptr<const PageUnit>> small);

  // Words in a line: 1 or kLargeWords.
  std::size_t line_words() const { return layout_.pages() / kWordPages; }
  std::size_t size_bytes() const;
  std::size_t table_words() const { return kLines * line_words(); }
  // Throws Error kCorruption when the bits are of a file and turn out to be damaged.
  const std::uint64_t* words() const {
    if (table_.checks) table_.checks->need(table_.first_check, table_.first_check + line_words());
    return table_.words;
  }
  const std::uint64_t* line(std::size_t i) const { return words() + i * line_words(); }
  const Table& table() const { return table_; }

  // Asks for a line that will be used.
  void fetch(std::size_t line) const { __builtin_prefetch(table_.words + line * line_words()); }

  const std::vector<PageSpan>& spans() const { return layout_.spans; }
  std::span<const PageSpan> page(std::size_t i) const {
    return std::span(layout_.spans)
        .subspan(layout_.firsts[i], layout_.firsts[i + 1] - layout_.firsts[i]);
  }

 private:
  Layout layout_;
  Table table_;
};

// A clause as the index is asked for it: for each of its texts the lines of its grams.
using GramLines = std::vector<std::vector<std::uint16_t>>;
GramLines gram_lines(const Clause& clause);

// What of `spans` lies less than `reach` bytes from a span of `others` in the same block. Both in
// order, as candidates() gives them.
std::vector<PageSpan> near(std::span<const PageSpan> spans, std::span<const PageSpan> others,
                           std::uint32_t reach);

class PageIndex {
  using UnitList = Segments<std::shared_ptr<const PageUnit>>;
  using Spans = Segments<PageSpan>;

 public:
  class View {
   public:
    // The large units, then the small ones.
    std::size_t unit_count() const { return large_.size() + small_.size(); }
    const PageUnit& unit(std::size_t i) const {
      return i < large_.size() ? *large_[i] : *small_[i - large_.size()];
    }
    std::size_t table_words() const {
      return (large_.size() * kLargeWords + small_.size()) * kLines;
    }
    std::size_t size_bytes() const;  // O(units)
    std::size_t pending_count() const { return pending_.size(); }
    const PageSpan& pending(std::size_t i) const { return pending_[i]; }

    // The clauses, those that rule out most first, each with its rarest grams first, and the share
    // of pages that it leaves, judged by a few units (1 when there are none).
    struct Judged {
      GramLines clause;
      double share;
    };
    std::vector<Judged> judge(const std::vector<GramLines>& clauses) const;

    // The spans that a text of the clause may begin in, of blocks [first, last], in order of block
    // and byte; spans that touch are one. Blocks that are gone may be among them.
    std::vector<PageSpan> candidates(const GramLines& clause, BlockId first, BlockId last) const;

    // Whether the units hold whole blocks, one after the other, as they do when nothing was ever
    // released. Then the tables alone say it all: see adopt(). `bytes`: the size of a block's match
    // text, by number.
    bool is_plain(std::span<const std::uint32_t> bytes) const;

   private:
    friend class PageIndex;
    UnitList::View large_;
    UnitList::View small_;
    Spans::View pending_;
  };

  // Pages of another size are for tests: small texts have many then.
  explicit PageIndex(std::uint32_t page_bytes = kPageBytes) : page_bytes_(page_bytes) {}

  // Adds a block: its match text is `bytes` long.
  void add(BlockId block, std::uint32_t bytes);
  // A block of so many bytes is gone.
  void release(std::uint32_t bytes) { released_bytes_ += bytes; }
  // Forgets blocks from `end` on, as if they had never been added.
  void forget(BlockId end);

  // Indexes what fills units. `text` gives the match text of a block; none of one that is gone.
  // Where it throws Error, because a file is damaged, nothing is indexed from now on.
  using Text = FunctionRef<std::string_view(BlockId)>;
  using Exists = FunctionRef<bool(BlockId)>;
  View view(Text text, Exists exists);

  // Takes over the tables of a plain view of the same blocks, before the first view is taken: those
  // of full_units().
  struct Units {
    std::size_t large;
    std::size_t small;

    std::size_t count() const { return large + small; }
    std::size_t words() const { return (large * kLargeWords + small) * kLines; }
  };
  Units full_units() const;
  void adopt(std::span<const PageUnit::Table> tables);

  std::size_t size_bytes() const;

 private:
  void push(PageSpan span);
  std::uint64_t small_bytes() const { return std::uint64_t{page_bytes_} * kWordPages; }
  bool can_read_pending(Text text) const;
  std::vector<PageUnit::Layout> take_full(std::size_t words);
  void merge();
  void set_pending(std::span<const PageSpan> spans);
  void sweep(Exists exists);

  std::uint32_t page_bytes_;
  UnitList large_;
  UnitList small_;  // fewer than kLargeWords, but while some are merged
  Spans pending_;
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t released_bytes_ = 0;
};

}  // namespace knarr
