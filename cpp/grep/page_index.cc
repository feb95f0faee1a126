#include "grep/page_index.h"

#include <algorithm>
#include <bit>

#include "base/parallel.h"
#include "grep/fold.h"

namespace knarr {
namespace {

constexpr std::size_t kGramBytes = 3;
constexpr std::size_t kSampledUnits = 8;
constexpr std::uint64_t kLeastSweep = std::uint64_t{1} << 20;
constexpr std::size_t kAhead = 4;  // units whose lines are fetched in advance

std::uint32_t line_of(std::uint32_t gram) { return (gram * 0x9E3779B1u) >> (32 - kGramBits); }

// Sets the page's bit for every gram that begins in the span or shortly behind it.
void index_span(std::string_view text, const PageSpan& span, std::uint64_t bit,
                std::uint64_t* words) {
  if (text.size() < span.end) return;  // the block is gone
  FoldedBytes bytes(text, span.begin);
  std::uint32_t gram = 0;
  std::size_t seen = 0;
  const auto take = [&] {
    gram = ((gram << 8) | bytes.next()) & 0xFFFFFF;
    if (++seen >= kGramBytes) words[line_of(gram)] |= bit;
  };
  while (bytes.at() < span.end) take();
  for (std::size_t i = 0; i < kPageOverlap && !bytes.done(); ++i) take();
}

std::uint64_t pages_of(const std::uint64_t* words, const GramLines& clause) {
  std::uint64_t any = 0;
  for (const auto& lines : clause) {
    std::uint64_t all = ~std::uint64_t{0};
    for (const std::uint16_t line : lines) {
      all &= words[line];
      if (all == 0) break;
    }
    any |= all;
  }
  return any;
}

void fetch(const std::uint64_t* words, const GramLines& clause) {
  constexpr std::size_t most_texts = 4;
  constexpr std::size_t most_lines = 4;
  for (std::size_t t = 0; t < std::min(most_texts, clause.size()); ++t) {
    for (std::size_t i = 0; i < std::min(most_lines, clause[t].size()); ++i) {
      __builtin_prefetch(words + clause[t][i]);
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
  auto words = std::make_shared<Words>();
  words->fill(0);
  for (std::size_t i = 0; i < kUnitPages; ++i) {
    for (const PageSpan& span : page(i)) {
      index_span(text(span.block), span, std::uint64_t{1} << i, words->data());
    }
  }
  table_.words = words->data();
  table_.owner = std::move(words);
}

GramLines gram_lines(const Clause& clause) {
  GramLines out;
  out.reserve(clause.size());
  for (const std::string& text : clause) {
    std::vector<std::uint16_t> lines;
    const std::size_t end = std::min(text.size(), kMostClauseBytes);
    for (std::size_t i = 0; i + kGramBytes <= end; ++i) {
      const auto byte = [&](std::size_t at) -> std::uint32_t {
        return static_cast<unsigned char>(text[at]);
      };
      const std::uint32_t gram = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
      lines.push_back(static_cast<std::uint16_t>(line_of(gram)));
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    out.push_back(std::move(lines));
  }
  return out;
}

PageIndex::View::Choice PageIndex::View::choose(const std::vector<GramLines>& clauses) const {
  Choice best{0, 1.0};
  const std::size_t sampled = std::min(unit_count(), kSampledUnits);
  if (sampled == 0) return best;
  for (std::size_t c = 0; c < clauses.size(); ++c) {
    int pages = 0;
    for (std::size_t i = 0; i < sampled; ++i) {
      pages += std::popcount(pages_of(unit(i * unit_count() / sampled).words(), clauses[c]));
    }
    const double share = pages / static_cast<double>(sampled * kUnitPages);
    if (c == 0 || share < best.share) best = {c, share};
  }
  return best;
}

std::vector<PageSpan> PageIndex::View::candidates(const GramLines& clause, BlockId first,
                                                  BlockId last) const {
  std::vector<PageSpan> out;
  const auto take = [&](const PageSpan& span) {
    if (first <= span.block && span.block <= last) out.push_back(span);
  };
  for (std::size_t u = 0; u < unit_count(); ++u) {
    if (u + kAhead < unit_count()) fetch(unit(u + kAhead).words(), clause);
    const PageUnit& unit = this->unit(u);
    for (std::uint64_t pages = pages_of(unit.words(), clause); pages != 0; pages &= pages - 1) {
      const auto page = static_cast<std::size_t>(std::countr_zero(pages));
      std::ranges::for_each(unit.page(page), take);
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
  const auto take = [&](const PageSpan& span) {
    if (span.block < end) left.push_back(span);
  };
  Units units;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const auto& spans = units_[u]->spans();
    if (std::ranges::all_of(spans, [&](const PageSpan& span) { return span.block < end; })) {
      units.push_back(units_[u]);
    } else {
      std::ranges::for_each(spans, take);
    }
  }
  if (units.size() != units_.size()) units_ = std::move(units);
  for (std::size_t i = 0; i < pending_.size(); ++i) take(pending_[i]);
  if (left.size() != pending_.size()) set_pending(left);
}

// The layouts of all units that the pending spans fill; what is left goes on pending.
std::vector<PageUnit::Layout> PageIndex::take_full() {
  std::vector<PageUnit::Layout> layouts(static_cast<std::size_t>(pending_bytes_ / unit_bytes()));
  if (layouts.empty()) return layouts;
  std::size_t next = 0;
  PageSpan span = pending_[0];
  for (PageUnit::Layout& layout : layouts) {
    for (std::size_t page = 0; page < kUnitPages; ++page) {
      layout.firsts[page] = static_cast<std::uint32_t>(layout.spans.size());
      for (std::uint32_t room = page_bytes_; room > 0;) {
        const std::uint32_t size = std::min(room, span.end - span.begin);
        layout.spans.push_back({span.block, span.begin, span.begin + size});
        room -= size;
        span.begin += size;
        if (span.begin == span.end && ++next < pending_.size()) span = pending_[next];
      }
    }
    layout.firsts[kUnitPages] = static_cast<std::uint32_t>(layout.spans.size());
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

PageIndex::View PageIndex::view(Text text, Exists exists) {
  if (released_bytes_ > std::max(kLeastSweep, units_.size() * unit_bytes() / 4)) sweep(exists);
  std::vector<PageUnit::Layout> layouts = take_full();
  std::vector<std::shared_ptr<const PageUnit>> made(layouts.size());
  const auto workers =
      static_cast<unsigned>(std::min<std::size_t>(made.size() / 4 + 1, max_workers()));
  parallel_for(made.size(), workers, [&](unsigned, std::size_t i) {
    made[i] = std::make_shared<PageUnit>(std::move(layouts[i]), text);
  });
  for (auto& unit : made) units_.push_back(std::move(unit));
  View view;
  view.units_ = units_.view();
  view.pending_ = pending_.view();
  return view;
}

// Lets go of units whose text is gone, for the most part.
void PageIndex::sweep(Exists exists) {
  released_bytes_ = 0;
  std::vector<PageSpan> left;
  const auto take = [&](const PageSpan& span) {
    if (exists(span.block)) left.push_back(span);
  };
  Units units;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    std::uint64_t bytes = 0;
    for (const PageSpan& span : units_[u]->spans()) {
      if (exists(span.block)) bytes += span.end - span.begin;
    }
    if (bytes >= unit_bytes() / 2) {
      units.push_back(units_[u]);
    } else {
      std::ranges::for_each(units_[u]->spans(), take);
    }
  }
  for (std::size_t i = 0; i < pending_.size(); ++i) take(pending_[i]);
  settle(left);
  units_ = std::move(units);
  set_pending(left);
}

std::size_t PageIndex::full_units() const {
  return units_.size() + static_cast<std::size_t>(pending_bytes_ / unit_bytes());
}

void PageIndex::adopt(std::span<const PageUnit::Table> tables) {
  std::vector<PageUnit::Layout> layouts = take_full();
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    units_.push_back(std::make_shared<PageUnit>(std::move(layouts[i]), tables[i]));
  }
}

std::size_t PageIndex::size_bytes() const {
  std::size_t sum = units_.size_bytes() + pending_.size_bytes();
  for (std::size_t u = 0; u < units_.size(); ++u) {
    sum += sizeof(PageUnit) + kUnitIndexBytes + units_[u]->spans().capacity() * sizeof(PageSpan);
  }
  return sum;
}

}  // namespace knarr
