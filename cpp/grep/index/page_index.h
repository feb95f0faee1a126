// PageIndex: which pages of all match texts may contain a piece of text.
//
// The match texts of the blocks are cut into pages of 2 KiB, in the order in which blocks were
// added, and every 64 pages form a small unit, whose table says which pages may contain a gram
// (page_unit.h). Eight small units in a row are merged into a large one, so that asking for a gram
// costs one cache line for 512 pages. Text that does not fill a small unit yet (less than 128 KiB)
// is pending: its spans are candidates for everything.
//
// Invariant: every text that begins in a block that was added and not released is found, in a page
// of a unit or in a pending span. Released blocks may be found too: a unit never changes, and
// callers skip them. When much text was released, the units that hold little else are given up, and
// their remaining spans become pending again.
//
// Cost: a quarter of the size of the texts. A question reads a few words of each unit, whatever the
// scope.
//
// Threads: one writer, which also takes the views; a view may be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/segments.h"
#include "grep/index/page_span.h"
#include "grep/index/page_unit.h"

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
      return (large_.size() * kLargeWords + small_.size()) * kPostings;
    }
    std::size_t size_bytes() const;  // O(units)
    std::size_t pending_count() const { return pending_.size(); }
    const PageSpan& pending(std::size_t i) const { return pending_[i]; }

    // A clause with the rarest grams of each text first, and the share of pages that may contain a
    // text of it.
    struct RankedClause {
      GramClause clause;
      double share;
    };
    // The clauses, the most selective first, as far as a sample of units tells. Without units each
    // share is 1.
    std::vector<RankedClause> rank(const std::vector<Clause>& clauses) const;

    // The spans in which a text of the clause may begin, of blocks [first, last], sorted and
    // joined. Released blocks may be among them.
    std::vector<PageSpan> candidates(const GramClause& clause, BlockId first, BlockId last) const;

    // Whether the spans are whole blocks, one after the other, as they are when nothing was ever
    // released. Then the tables describe the index without their layouts: see adopt().
    // `match_bytes`: the size of each block's match text.
    bool is_plain(std::span<const std::uint32_t> match_bytes) const;

   private:
    friend class PageIndex;
    UnitList::View large_;
    UnitList::View small_;
    Spans::View pending_;
  };

  // Tests use smaller pages, of which short texts have many.
  explicit PageIndex(std::uint32_t page_bytes = kPageBytes) : page_bytes_(page_bytes) {}

  // Adds a block whose match text has `bytes` bytes.
  void add(BlockId block, std::uint32_t bytes);
  // Notes that a block of that many bytes was released.
  void release(std::uint32_t bytes) { released_bytes_ += bytes; }
  // Forgets the blocks from `end` on, as if they had never been added.
  void forget(BlockId end);

  // Indexes the pending text that fills units, then takes a view. A `text` that throws Error, since
  // its file is damaged, leaves everything pending until its block is gone.
  using MatchText = PageUnit::MatchText;
  using Exists = FunctionRef<bool(BlockId)>;
  View view(MatchText text, Exists exists);

  // The units that the pending text fills.
  struct Units {
    std::size_t large;
    std::size_t small;

    std::size_t count() const { return large + small; }
    std::size_t words() const { return (large * kLargeWords + small) * kPostings; }
  };
  Units full_units() const;
  // Takes over the tables of a plain view of the same blocks, one for each of full_units(), before
  // the first view is taken.
  void adopt(std::span<const PageUnit::Table> tables);

  std::size_t size_bytes() const;

 private:
  void push(PageSpan span);
  std::uint64_t small_unit_bytes() const { return std::uint64_t{page_bytes_} * kWordPages; }
  bool can_read_pending(MatchText text) const;
  std::vector<PageUnit::Layout> take_full(std::size_t words);
  void merge();
  void set_pending(std::span<const PageSpan> spans);
  void sweep(Exists exists);

  std::uint32_t page_bytes_;
  UnitList large_;
  UnitList small_;  // fewer than kLargeWords, except while some are merged
  Spans pending_;
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t released_bytes_ = 0;
};

}  // namespace knarr
