#include "grep/index/page_index.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/parallel.h"

namespace knarr {
namespace {

constexpr std::uint64_t kMinSweepBytes = std::uint64_t{1} << 20;
constexpr std::size_t kSampledUnits = 8;
constexpr std::size_t kPrefetchedUnits = 4;  // ahead of the one that is read

}  // namespace

void PageIndex::add(BlockId block, std::uint32_t bytes) {
  if (bytes > 0) push({block, 0, bytes});
}

void PageIndex::push(PageSpan span) {
  pending_.push_back(span);
  pending_bytes_ += span.end - span.begin;
}

// A unit that holds such a block is given up, and its other spans become pending. That happens only
// when a view was taken after the block was added.
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

// The layouts of as many units with `words` words per posting as the pending text fills.
std::vector<PageUnit::Layout> PageIndex::take_full(std::size_t words) {
  std::vector<PageUnit::Layout> layouts(
      static_cast<std::size_t>(pending_bytes_ / (small_unit_bytes() * words)));
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
  pending_ = Spans();  // views keep the old ones
  pending_bytes_ = 0;
  for (const PageSpan& span : spans) push(span);
}

bool PageIndex::can_read_pending(MatchText text) const {
  try {
    for (std::size_t i = 0; i < pending_.size(); ++i) text(pending_[i].block);
    return true;
  } catch (const Error&) {
    return false;
  }
}

PageIndex::View PageIndex::view(MatchText text, Exists exists) {
  const std::size_t words = large_.size() * kLargeWords + small_.size();
  if (released_bytes_ > std::max(kMinSweepBytes, words * small_unit_bytes() / 4)) sweep(exists);
  std::vector<PageUnit::Layout> layouts;
  if (pending_bytes_ >= small_unit_bytes() && can_read_pending(text)) layouts = take_full(1);
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

// Gives up the units of whose text less than half is left.
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
      if (bytes >= small_unit_bytes() * unit.words_per_posting() / 2) {
        kept.push_back((*units)[u]);
      } else {
        std::ranges::for_each(unit.spans(), take);
      }
    }
    *units = std::move(kept);
  }
  for (std::size_t i = 0; i < pending_.size(); ++i) take(pending_[i]);
  sort_and_join(left);
  set_pending(left);
}

PageIndex::Units PageIndex::full_units() const {
  const auto words = static_cast<std::size_t>(pending_bytes_ / small_unit_bytes());
  return {words / kLargeWords, words % kLargeWords};
}

void PageIndex::adopt(std::span<const PageUnit::Table> tables) {
  auto table = tables.begin();
  for (const std::size_t words : {kLargeWords, std::size_t{1}}) {
    UnitList& units = words == 1 ? small_ : large_;
    for (PageUnit::Layout& layout : take_full(words)) {
      units.push_back(std::make_shared<PageUnit>(std::move(layout), *table++));
    }
  }
}

std::size_t PageIndex::size_bytes() const {
  std::size_t sum = large_.size_bytes() + small_.size_bytes() + pending_.size_bytes();
  for (const UnitList* units : {&large_, &small_}) {
    for (std::size_t u = 0; u < units->size(); ++u) sum += (*units)[u]->size_bytes();
  }
  return sum;
}

// --- Views

std::vector<PageIndex::View::RankedClause> PageIndex::View::rank(
    const std::vector<Clause>& clauses) const {
  const std::size_t sampled = std::min(unit_count(), kSampledUnits);
  const auto sample = [&](std::size_t i) -> const PageUnit& {
    return unit(i * unit_count() / sampled);
  };
  std::size_t all = 0;
  for (std::size_t i = 0; i < sampled; ++i) all += kWordPages * sample(i).words_per_posting();
  std::vector<RankedClause> ranked;
  for (const Clause& texts : clauses) {
    GramClause clause = gram_clause(texts);
    std::size_t pages = 0;
    for (std::size_t i = 0; i < sampled; ++i) pages += pages_with(sample(i), clause).count();
    const double share = all == 0 ? 1 : static_cast<double>(pages) / static_cast<double>(all);
    ranked.push_back({std::move(clause), share});
  }
  std::ranges::stable_sort(ranked, {}, &RankedClause::share);
  if (sampled == 0) return ranked;
  const auto pages_in_posting = [&unit = sample(0)](std::uint16_t hash) {
    int n = 0;
    for (std::size_t w = 0; w < unit.words_per_posting(); ++w)
      n += std::popcount(unit.posting(hash)[w]);
    return n;
  };
  for (RankedClause& each : ranked) {
    for (auto& hashes : each.clause) std::ranges::stable_sort(hashes, {}, pages_in_posting);
  }
  return ranked;
}

std::vector<PageSpan> PageIndex::View::candidates(const GramClause& clause, BlockId first,
                                                  BlockId last) const {
  std::vector<PageSpan> out;
  const auto take = [&](const PageSpan& span) {
    if (first <= span.block && span.block <= last) out.push_back(span);
  };
  for (std::size_t u = 0; u < unit_count(); ++u) {
    if (u + kPrefetchedUnits < unit_count()) prefetch(unit(u + kPrefetchedUnits), clause);
    const PageUnit& unit = this->unit(u);
    const PageBits found = pages_with(unit, clause);
    for (std::size_t w = 0; w < unit.words_per_posting(); ++w) {
      for (std::uint64_t pages = found.words[w]; pages != 0; pages &= pages - 1) {
        const auto page = static_cast<std::size_t>(std::countr_zero(pages));
        std::ranges::for_each(unit.page(w * kWordPages + page), take);
      }
    }
  }
  for (std::size_t i = 0; i < pending_count(); ++i) take(pending(i));
  sort_and_join(out);
  return out;
}

bool PageIndex::View::is_plain(std::span<const std::uint32_t> match_bytes) const {
  PageSpan next{0, 0, 0};
  const auto follows = [&](const PageSpan& span) {
    while (next.block < match_bytes.size() && next.begin == match_bytes[next.block])
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

std::size_t PageIndex::View::size_bytes() const {
  std::size_t sum = pending_count() * sizeof(PageSpan);
  for (std::size_t u = 0; u < unit_count(); ++u) sum += unit(u).size_bytes();
  return sum;
}

}  // namespace knarr
