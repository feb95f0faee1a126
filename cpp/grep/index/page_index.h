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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "grep/index/page_spans.h"
#include "grep/index/page_unit.h"
#include "grep/text/segments.h"

namespace knarr {

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
