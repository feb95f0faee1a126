#include "grep/index/page_index.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace knarr {
namespace {

constexpr std::uint64_t kLeastSweep = std::uint64_t{1} << 20;

}  // namespace

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

std::size_t PageIndex::size_bytes() const {
  std::size_t sum = large_.size_bytes() + small_.size_bytes() + pending_.size_bytes();
  for (const UnitList* units : {&large_, &small_}) {
    for (std::size_t u = 0; u < units->size(); ++u) sum += (*units)[u]->size_bytes();
  }
  return sum;
}

}  // namespace knarr
