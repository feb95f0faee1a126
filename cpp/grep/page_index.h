// PageIndex: which pages of the texts may hold a piece of text.
//
// The match texts of the blocks are cut into pages of 4 KiB, and 64 pages make a unit. A unit is a
// table of bits with a line for each of 8192 hash values and a column for each page: a bit says
// that the page holds a gram, three folded bytes in a row, with that hash. So a unit's pages are
// all asked at once, by one AND of 64-bit words for each gram; what is looked for is not in a page
// whose bit is missing. A page also sees a few bytes behind its end: a text of up to
// kMostClauseBytes that begins in a page is found in that page.
//
// A quarter of the size of the texts, always. Text that does not fill a unit yet is not indexed:
// its spans are pending, and are candidates for everything.
//
// A unit never changes. What it says of blocks that are gone is passed over by those who ask; when
// much text is gone, units that hold little else are given up and what is left of them is indexed
// anew with the next unit.
//
// Threads: one writer, which also takes the views; views may be read from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

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

inline constexpr std::uint32_t kPageBytes = 4096;
inline constexpr std::size_t kUnitPages = 64;
inline constexpr int kGramBits = 13;
inline constexpr std::size_t kUnitWords = std::size_t{1} << kGramBits;
inline constexpr std::size_t kUnitIndexBytes = kUnitWords * sizeof(std::uint64_t);
// Grams that begin this far behind a page's end are still seen.
inline constexpr std::size_t kPageOverlap = kMostClauseBytes;

class PageUnit {
 public:
  using Words = std::array<std::uint64_t, kUnitWords>;
  using Text = FunctionRef<std::string_view(BlockId)>;

  // Which text makes which page. The spans of page i are [firsts[i], firsts[i + 1]).
  struct Layout {
    std::vector<PageSpan> spans;
    std::array<std::uint32_t, kUnitPages + 1> firsts;
  };
  // The bits: kUnitWords words, alive as long as `owner`.
  struct Table {
    const std::uint64_t* words;
    std::shared_ptr<const void> owner;
  };

  PageUnit(Layout layout, Text text);  // makes the table
  PageUnit(Layout layout, Table table) : layout_(std::move(layout)), table_(std::move(table)) {}

  const std::uint64_t* words() const { return table_.words; }
  const Table& table() const { return table_; }
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

class PageIndex {
  using Units = Segments<std::shared_ptr<const PageUnit>>;
  using Spans = Segments<PageSpan>;

 public:
  class View {
   public:
    std::size_t unit_count() const { return units_.size(); }
    const PageUnit& unit(std::size_t i) const { return *units_[i]; }
    std::size_t pending_count() const { return pending_.size(); }
    const PageSpan& pending(std::size_t i) const { return pending_[i]; }

    // The clause that rules out most, judged by a few units, with the share of pages that it leaves
    // (1 when there is nothing to judge by). `clauses` is not empty.
    struct Choice {
      std::size_t clause;
      double share;
    };
    Choice choose(const std::vector<GramLines>& clauses) const;

    // The spans that a match of the clause may begin in, of blocks [first, last], in order of block
    // and byte; spans that touch are one. Blocks that are gone may be among them.
    std::vector<PageSpan> candidates(const GramLines& clause, BlockId first, BlockId last) const;

    // Whether the units hold whole blocks, one after the other, as they do when nothing was ever
    // released. Then the tables alone say it all: see adopt(). `bytes`: the size of a block's match
    // text, by number.
    bool is_plain(std::span<const std::uint32_t> bytes) const;

   private:
    friend class PageIndex;
    Units::View units_;
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
  using Text = FunctionRef<std::string_view(BlockId)>;
  using Exists = FunctionRef<bool(BlockId)>;
  View view(Text text, Exists exists);

  // Takes over the tables of a plain view of the same blocks, before the first view is taken. There
  // are full_units() of them.
  void adopt(std::span<const PageUnit::Table> tables);
  std::size_t full_units() const;

  std::size_t size_bytes() const;

 private:
  void push(PageSpan span);
  std::uint64_t unit_bytes() const { return std::uint64_t{page_bytes_} * kUnitPages; }
  std::vector<PageUnit::Layout> take_full();
  void set_pending(std::span<const PageSpan> spans);
  void sweep(Exists exists);

  std::uint32_t page_bytes_;
  Units units_;
  Spans pending_;
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t released_bytes_ = 0;
};

}  // namespace knarr
