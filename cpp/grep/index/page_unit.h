// PageUnit: the pages of 128 KiB or 1 MiB of texts, and which of them may hold a gram.
//
// A table of bits with a line for each hash value and a column for each page, see page_index.h. A
// unit never changes; any thread.
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
#include "grep/index/page_spans.h"
#include "grep/pattern/part.h"

namespace knarr {

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

// A bit for each page of a unit.
struct Pages {
  std::array<std::uint64_t, kLargeWords> words{};

  std::size_t count() const;
};

// The pages that a text of the clause may begin in.
Pages pages_of(const PageUnit& unit, const GramLines& clause);

// Asks for the lines that pages_of() will use first.
void fetch(const PageUnit& unit, const GramLines& clause);

}  // namespace knarr
