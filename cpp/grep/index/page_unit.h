// PageUnit: which of 64 or 512 pages of text may contain a gram, as a table of bits.
//
// A gram is three or four bytes in a row of folded text (fold.h). The table has a posting for each
// of 4096 hash values of grams: a bitmap with a bit for each page of the unit, set when the page
// contains a gram with that hash. A text can only be in pages that are in the postings of all its
// grams, so one AND of postings answers for all pages at once. Trigrams as an index for regular
// expressions: Russ Cox, "Regular Expression Matching with a Trigram Index" (2012); postings of
// hash values as bitmaps: Goodwin et al., "BitFunnel: Revisiting Signatures for Search" (SIGIR
// 2017).
//
// Invariant: no page is missed. Collisions of hash values and grams of different texts in one page
// only add pages. A page also contains the grams that begin up to kPageOverlap bytes behind its
// end, so that a text of up to kMaxClauseBytes that begins in a page is found in it.
//
// Cost: a page of 2 KiB takes 512 bytes of the table, a quarter of the text. A posting of a small
// unit is a word, one of a large unit a cache line; asking a unit for a text of n bytes reads at
// most 2n - 5 of them.
//
// Threads: a unit never changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked_pages.h"
#include "base/function_ref.h"
#include "grep/index/page_span.h"
#include "grep/pattern/match_info.h"

namespace knarr {

inline constexpr std::uint32_t kPageBytes = 2048;
inline constexpr std::size_t kWordPages = 64;  // pages of a word of a posting; of a small unit
inline constexpr std::size_t kLargeWords = 8;  // words of a posting of a large unit
inline constexpr int kHashBits = 12;
inline constexpr std::size_t kPostings = std::size_t{1} << kHashBits;
inline constexpr std::size_t kPageOverlap = kMaxClauseBytes;

class PageUnit {
 public:
  // The match text of a block; empty when the block was released.
  using MatchText = FunctionRef<std::string_view(BlockId)>;

  // Which text makes which page. The spans of page i are [firsts[i], firsts[i + 1]).
  struct Layout {
    std::vector<PageSpan> spans;
    std::vector<std::uint32_t> firsts;

    std::size_t pages() const { return firsts.size() - 1; }
  };
  // The bits: kPostings postings of pages / 64 words each, alive as long as `owner`. The bits of a
  // mapped file come with `checks`: one page of these for each word of a posting, from
  // `first_check` on, must be checked before the bits are used.
  struct Table {
    const std::uint64_t* words;
    std::shared_ptr<const void> owner;
    std::shared_ptr<const CheckedPages> checks = {};
    std::size_t first_check = 0;
  };

  // A small unit, whose table is made from the texts.
  PageUnit(Layout layout, MatchText text);
  PageUnit(Layout layout, Table table) : layout_(std::move(layout)), table_(std::move(table)) {}
  // A large unit, from kLargeWords small ones.
  explicit PageUnit(std::span<const std::shared_ptr<const PageUnit>> small);

  // 1 or kLargeWords.
  std::size_t words_per_posting() const { return layout_.pages() / kWordPages; }
  std::size_t table_words() const { return kPostings * words_per_posting(); }
  std::size_t size_bytes() const;

  // Throws Error kCorruption when the bits are those of a file that turns out to be damaged.
  const std::uint64_t* words() const {
    if (table_.checks) {
      table_.checks->need(table_.first_check, table_.first_check + words_per_posting());
    }
    return table_.words;
  }
  const std::uint64_t* posting(std::size_t hash) const {
    return words() + hash * words_per_posting();
  }
  const Table& table() const { return table_; }

  void prefetch(std::size_t hash) const {
    __builtin_prefetch(table_.words + hash * words_per_posting());
  }

  const std::vector<PageSpan>& spans() const { return layout_.spans; }
  std::span<const PageSpan> page(std::size_t i) const {
    return std::span(layout_.spans)
        .subspan(layout_.firsts[i], layout_.firsts[i + 1] - layout_.firsts[i]);
  }

 private:
  Layout layout_;
  Table table_;
};

// A clause as the index reads it: for each of its texts the hash values of its grams.
using GramClause = std::vector<std::vector<std::uint16_t>>;
GramClause gram_clause(const Clause& clause);

// A bit for each page of a unit.
struct PageBits {
  std::array<std::uint64_t, kLargeWords> words{};

  std::size_t count() const;
};

// The pages in which a text of the clause may begin.
PageBits pages_with(const PageUnit& unit, const GramClause& clause);

// Prefetches the postings that pages_with() reads first.
void prefetch(const PageUnit& unit, const GramClause& clause);

}  // namespace knarr
