#include "grep/page_index.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "base/parallel.h"
#include "grep/fold.h"

namespace knarr {
namespace {

constexpr std::size_t kSampledUnits = 8;
constexpr std::uint64_t kLeastSweep = std::uint64_t{1} << 20;
constexpr std::size_t kAhead = 4;  // units whose lines are fetched in advance

// Grams of three bytes, for short texts and rare letters, and of four, which tell more.
std::uint32_t line_of_three(std::uint32_t bytes) {
  return ((bytes & 0xFFFFFF) * 0x9E3779B1u) >> (32 - kLineBits);
}
std::uint32_t line_of_four(std::uint32_t bytes) {
  return (bytes * 0x85EBCA6Bu) >> (32 - kLineBits);
}

// Sets the page's bit for every gram that begins in the span or shortly behind it.
void index_span(std::string_view text, const PageSpan& span, std::uint64_t bit,
                std::uint64_t* words) {
  if (text.size() < span.end) return;  // the block is gone
  FoldedBytes bytes(text, span.begin);
  std::uint32_t last = 0;
  std::size_t seen = 0;
  const auto take = [&] {
    last = (last << 8) | bytes.next();
    ++seen;
    if (seen >= 3) words[line_of_three(last)] |= bit;
    if (seen >= 4) words[line_of_four(last)] |= bit;
  };
  while (bytes.at() < span.end) take();
  for (std::size_t i = 0; i < kPageOverlap && !bytes.done(); ++i) take();
}

// A bit for each page of a unit.
struct Pages {
  std::array<std::uint64_t, kLargeWords> words{};

  std::size_t count() const {
    std::size_t n = 0;
    for (const std::uint64_t word : words) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
};

template <std::size_t kWords>
Pages pages_of(const std::uint64_t* table, const GramLines& clause) {
  Pages any;
  for (const auto& lines : clause) {
    std::array<std::uint64_t, kWords> all;
    all.fill(~std::uint64_t{0});
    for (const std::uint16_t line : lines) {
      std::uint64_t left = 0;
      for (std::size_t w = 0; w < kWords; ++w) left |= all[w] &= table[line * kWords + w];
      if (left == 0) break;
    }
    for (std::size_t w = 0; w < kWords; ++w) any.words[w] |= all[w];
  }
  return any;
}

Pages pages_of(const PageUnit& unit, const GramLines& clause) {
  return unit.line_words() == 1 ? pages_of<1>(unit.words(), clause)
                                : pages_of<kLargeWords>(unit.words(), clause);
}

void fetch(const PageUnit& unit, const GramLines& clause) {
  constexpr std::size_t most_texts = 4;
  constexpr std::size_t most_lines = 6;
  for (std::size_t t = 0; t < std::min(most_texts, clause.size()); ++t) {
    for (std::size_t i = 0; i < std::min(most_lines, clause[t].size()); ++i) {
      unit.fetch(clause[t][i]);
    }
  }
}

// In order of block and byte, what touches joined.
void settle(std::vector<PageSpan>& spans) {
  const auto before = [](const PageSpan& a, const PageSpan& b) {
    return a.block != b.block ? a.block < b.block : a.begin < b.begin;
  };
  if (!std::is_sorted(spans.begin(), spans.end(), before)) {
    std::sort(spans.begin(), spans.end(), before);
  }
  std::size_t kept = 0;
  for (const PageSpan& span : spans) {
    if (kept > 0 && spans[kept - 1].block == span.block && spans[kept - 1].end == span.begin) {
      spans[kept - 1].end = span.end;
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
}

}  // namespace

PageUnit::PageUnit(Layout layout, Text text) : layout_(std::move(layout)) {
  auto words = std::make_shared<std::vector<std::uint64_t>>(kLines);
  for (std::size_t i = 0; i < kWordPages; ++i) {
    for (const PageSpan& span : page(i)) {
      index_span(text(span.block), span, std::uint64_t{1} << i, words->data());
    }
  }
  table_.words = words->data();
  table_.owner = std::move(words);
}

PageUnit::PageUnit(std::span<const std::shared_ptr<const PageUnit>> small) {
  auto words = std::make_shared<std::vector<std::uint64_t>>(kLines * kLargeWords);
  for (std::size_t w = 0; w < kLargeWords; ++w) {
    const Layout& part = small[w]->layout_;
    const auto before = static_cast<std::uint32_t>(layout_.spans.size());
    layout_.spans.insert(layout_.spans.end(), part.spans.begin(), part.spans.end());
    for (std::size_t i = 0; i < kWordPages; ++i) layout_.firsts.push_back(before + part.firsts[i]);
    for (std::size_t i = 0; i < kLines; ++i) (*words)[i * kLargeWords + w] = small[w]->words()[i];
  }
  layout_.firsts.push_back(static_cast<std::uint32_t>(layout_.spans.size()));
  layout_.spans.shrink_to_fit();
  table_.words = words->data();
  table_.owner = std::move(words);
}

GramLines gram_lines(const Clause& clause) {
  GramLines out;
  out.reserve(clause.size());
  for (const std::string& text : clause) {
    std::vector<std::uint16_t> lines;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < std::min(text.size(), kMostClauseBytes); ++i) {
      last = (last << 8) | static_cast<unsigned char>(text[i]);
      if (i >= 2) lines.push_back(static_cast<std::uint16_t>(line_of_three(last)));
      if (i >= 3) lines.push_back(static_cast<std::uint16_t>(line_of_four(last)));
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    out.push_back(std::move(lines));
  }
  return out;
}

std::vector<PageSpan> near(std::span<const PageSpan> spans, std::span<const PageSpan> others,
                           std::uint32_t reach) {
  std::vector<PageSpan> out;
  auto other = others.begin();
  for (const PageSpan& span : spans) {
    const auto is_before = [&](const PageSpan& o) {
      return o.block != span.block ? o.block < span.block
                                   : std::uint64_t{o.end} + reach <= span.begin;
    };
    while (other != others.end() && is_before(*other)) ++other;
    for (auto o = other; o != others.end() && o->block == span.block; ++o) {
      if (o->begin >= std::uint64_t{span.end} + reach) break;
      const std::uint32_t low = o->begin - std::min(o->begin, reach);
      const std::uint64_t high = std::uint64_t{o->end} + reach;
      const std::uint32_t begin = std::max(span.begin, low);
      const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(span.end, high));
      if (!out.empty() && out.back().block == span.block && begin <= out.back().end) {
        out.back().end = std::max(out.back().end, end);
      } else {
        out.push_back({span.block, begin, end});
      }
      if (end == span.end) break;
    }
  }
  return out;
}

std::vector<PageIndex::View::Judged> PageIndex::View::judge(
    const std::vector<GramLines>& clauses) const {
  const std::size_t sampled = std::min(unit_count(), kSampledUnits);
  const auto sample = [&](std::size_t i) -> const PageUnit& {
    return unit(i * unit_count() / sampled);
  };
  std::size_t all = 0;
  for (std::size_t i = 0; i < sampled; ++i) all += kWordPages * sample(i).line_words();
  std::vector<Judged> judged;
  for (const GramLines& clause : clauses) {
    std::size_t pages = 0;
    for (std::size_t i = 0; i < sampled; ++i) pages += pages_of(sample(i), clause).count();
    const double share = all == 0 ? 1 : static_cast<double>(pages) / static_cast<double>(all);
    judged.push_back({clause, share});
  }
  std::ranges::stable_sort(judged, {}, &Judged::share);
  if (sampled == 0) return judged;
  const auto pages_with = [&unit = sample(0)](std::uint16_t line) {
    int n = 0;
    for (std::size_t w = 0; w < unit.line_words(); ++w) n += std::popcount(unit.line(line)[w]);
    return n;
  };
  for (Judged& one : judged) {
    for (auto& lines : one.clause) std::ranges::stable_sort(lines, {}, pages_with);
  }
  return judged;
}

std::vector<PageSpan> PageIndex::View::candidates(const GramLines& clause, BlockId first,
                                                  BlockId last) const {
  std::vector<PageSpan> out;
  const auto take = [&](const PageSpan& span) {
    if (first <= span.block && span.block <= last) out.push_back(span);
  };
  for (std::size_t u = 0; u < unit_count(); ++u) {
    if (u + kAhead < unit_count()) fetch(unit(u + kAhead), clause);
    const PageUnit& unit = this->unit(u);
    const Pages found = pages_of(unit, clause);
    for (std::size_t w = 0; w < unit.line_words(); ++w) {
      for (std::uint64_t pages = found.words[w]; pages != 0; pages &= pages - 1) {
        const auto page = static_cast<std::size_t>(std::countr_zero(pages));
        std::ranges::for_each(unit.page(w * kWordPages + page), take);
      }
    }
  }
  for (std::size_t i = 0; i < pending_count(); ++i) take(pending(i));
  settle(out);
  return out;
}

bool PageIndex::View::is_plain(std::span<const std::uint32_t> bytes) const {
  PageSpan next{0, 0, 0};
  const auto follows = [&](const PageSpan& span) {
    while (next.block < bytes.size() && next.begin == bytes[next.block])
      next = {next.block + 1, 0, 0};
    if (span.block != next.block || span.begin != next.begin) return false;
    next.begin = span.end;
    return true;
  };
  for (std::size_t u = 0; u < unit_count(); ++u) {
    if (!std::ranges::all_of(unit(u).spans(), follows)) return false;
  }
  for (std::size_t i = 0; i < pending_count(); ++i) {
    if (!follows(pending(i))) return false;
  }
  return true;
}

void PageIndex::add(BlockId block, std::uint32_t bytes) {
  if (bytes > 0) push({block, 0, bytes});
}

void PageIndex::push(PageSpan span) {
  pending_.push_back(span);
  pending_bytes_ += span.end - span.begin;
}

// A unit that holds some of them (only when a view was taken in between) is given up.
void PageIndex::forget(BlockId end) {
  std::vector<PageSpan> left;
  const auto is_kept = [&](const PageSpan& span) { return span.block < end; };
  const auto take = [&](const PageSpan& span) {
    if (is_kept(span)) left.push_back(span);
  };
  for (UnitList* units : {&large_, &small_}) {
    UnitList kept;
    for (std::size_t u = 0; u < units->size(); ++u) {
      const auto& spans = (*units)[u]->spans();
      if (std::ranges::all_of(spans, is_kept)) {
        kept.push_back((*units)[u]);
      } else {
        std::ranges::for_each(spans, take);
      }
    }
    if (kept.size() != units->size()) *units = std::move(kept);
  }
  for (std::size_t i = 0; i < pending_.size(); ++i) take(pending_[i]);
  if (left.size() != pending_.size()) set_pending(left);
}

// The layouts of units of so many words that the pending spans fill.
std::vector<PageUnit::Layout> PageIndex::take_full(std::size_t words) {
  std::vector<PageUnit::Layout> layouts(
      static_cast<std::size_t>(pending_bytes_ / (small_bytes() * words)));
  if (layouts.empty()) return layouts;
  std::size_t next = 0;
  PageSpan span = pending_[0];
  for (PageUnit::Layout& layout : layouts) {
    for (std::size_t page = 0; page < kWordPages * words; ++page) {
      layout.firsts.push_back(static_cast<std::uint32_t>(layout.spans.size()));
      for (std::uint32_t room = page_bytes_; room > 0;) {
        const std::uint32_t size = std::min(room, span.end - span.begin);
        layout.spans.push_back({span.block, span.begin, span.begin + size});
        room -= size;
        span.begin += size;
        if (span.begin == span.end && ++next < pending_.size()) span = pending_[next];
      }
    }
    layout.firsts.push_back(static_cast<std::uint32_t>(layout.spans.size()));
  }
  std::vector<PageSpan> left;
  if (next < pending_.size()) left.push_back(span);
  for (++next; next < pending_.size(); ++next) left.push_back(pending_[next]);
  set_pending(left);
  return layouts;
}

void PageIndex::set_pending(std::span<const PageSpan> spans) {
  pending_ = Spans();  // views go on to see the old ones
  pending_bytes_ = 0;
  for (const PageSpan& span : spans) push(span);
}

bool PageIndex::can_read_pending(Text text) const {
  try {
    for (std::size_t i = 0; i < pending_.size(); ++i) text(pending_[i].block);
    return true;
  } catch (const Error&) {
    return false;
  }
}

PageIndex::View PageIndex::view(Text text, Exists exists) {
  const std::size_t words = large_.size() * kLargeWords + small_.size();
  if (released_bytes_ > std::max(kLeastSweep, words * small_bytes() / 4)) sweep(exists);
  std::vector<PageUnit::Layout> layouts;
  if (pending_bytes_ >= small_bytes() && can_read_pending(text)) layouts = take_full(1);
  std::vector<std::shared_ptr<const PageUnit>> made(layouts.size());
  const auto workers = std::min<std::size_t>(made.size() / kLargeWords + 1, max_workers());
  parallel_for(made.size(), static_cast<unsigned>(workers), [&](unsigned, std::size_t i) {
    made[i] = std::make_shared<PageUnit>(std::move(layouts[i]), text);
  });
  for (auto& unit : made) {
    small_.push_back(std::move(unit));
    if (small_.size() >= kLargeWords) merge();
  }
  View view;
  view.large_ = large_.view();
  view.small_ = small_.view();
  view.pending_ = pending_.view();
  return view;
}

void PageIndex::merge() {
  std::vector<std::shared_ptr<const PageUnit>> small;
  for (std::size_t u = 0; u < small_.size(); ++u) small.push_back(small_[u]);
  large_.push_back(std::make_shared<PageUnit>(small));
  small_ = UnitList();
}

// Lets go of units whose text is gone, for the most part.
void PageIndex::sweep(Exists exists) {
  released_bytes_ = 0;
  std::vector<PageSpan> left;
  const auto take = [&](const PageSpan& span) {
    if (exists(span.block)) left.push_back(span);
  };
  for (UnitList* units : {&large_, &small_}) {
    UnitList kept;
    for (std::size_t u = 0; u < units->size(); ++u) {
      const PageUnit& unit = *(*units)[u];
      std::uint64_t bytes = 0;
      for (const PageSpan& span : unit.spans()) {
        if (exists(span.block)) bytes += span.end - span.begin;
      }
      if (bytes >= small_bytes() * unit.line_words() / 2) {
        kept.push_back((*units)[u]);
      } else {
        std::ranges::for_each(unit.spans(), take);
      }
    }
    *units = std::move(kept);
  }
  for (std::size_t i = 0; i < pending_.size(); ++i) take(pending_[i]);
  settle(left);
  set_pending(left);
}

PageIndex::Units PageIndex::full_units() const {
  const auto words = static_cast<std::size_t>(pending_bytes_ / small_bytes());
  return {words / kLargeWords, words % kLargeWords};
}

void PageIndex::adopt(std::span<const PageUnit::Table> tables) {
  auto table = tables.begin();
  for (const std::size_t line_words : {kLargeWords, std::size_t{1}}) {
    UnitList& units = line_words == 1 ? small_ : large_;
    for (PageUnit::Layout& layout : take_full(line_words)) {
      units.push_back(std::make_shared<PageUnit>(std::move(layout), *table++));
    }
  }
}

std::size_t PageUnit::size_bytes() const {
  return sizeof(PageUnit) + table_words() * sizeof(std::uint64_t) +
         layout_.spans.capacity() * sizeof(PageSpan) +
         layout_.firsts.capacity() * sizeof(std::uint32_t);
}

std::size_t PageIndex::View::size_bytes() const {
  std::size_t sum = pending_count() * sizeof(PageSpan);
  for (std::size_t u = 0; u < unit_count(); ++u) sum += unit(u).size_bytes();
  return sum;
}

std::size_t PageIndex::size_bytes() const {
  std::size_t sum = large_.size_bytes() + small_.size_bytes() + pending_.size_bytes();
  for (const UnitList* units : {&large_, &small_}) {
    for (std::size_t u = 0; u < units->size(); ++u) sum += (*units)[u]->size_bytes();
  }
  return sum;
}

}  // namespace knarr
