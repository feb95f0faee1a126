#include "grep/page_index.h"

#include <algorithm>
#include <bit>

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

PageUnit::PageUnit(std::vector<PageSpan> spans, std::array<std::uint32_t, kUnitPages + 1> firsts,
                   Text text)
    : spans_(std::move(spans)), firsts_(firsts) {
  auto words = std::make_shared<Words>();
  words->fill(0);
  for (std::size_t page = 0; page < kUnitPages; ++page) {
    for (std::uint32_t i = firsts_[page]; i < firsts_[page + 1]; ++i) {
      index_span(text(spans_[i].block), spans_[i], std::uint64_t{1} << page, words->data());
    }
  }
  words_ = words->data();
  owner_ = std::move(words);
}

PageUnit::PageUnit(std::vector<PageSpan> spans, std::array<std::uint32_t, kUnitPages + 1> firsts,
                   const std::uint64_t* words, std::shared_ptr<const void> owner)
    : spans_(std::move(spans)), firsts_(firsts), words_(words), owner_(std::move(owner)) {}

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
      for (std::uint32_t i = unit.first(page); i < unit.first(page + 1); ++i) take(unit.spans()[i]);
    }
  }
  for (std::size_t i = 0; i < pending_count(); ++i) take(pending(i));
  settle(out);
  return out;
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
  if (left.size() == pending_.size()) return;
  pending_ = Spans();
  pending_bytes_ = 0;
  std::ranges::for_each(left, [this](const PageSpan& span) { push(span); });
}

PageIndex::Filled PageIndex::fill(std::size_t& next, std::uint32_t& used) const {
  Filled filled;
  for (std::size_t page = 0; page < kUnitPages; ++page) {
    filled.firsts[page] = static_cast<std::uint32_t>(filled.spans.size());
    for (std::uint32_t room = page_bytes_; room > 0;) {
      const PageSpan& span = pending_[next];
      const std::uint32_t begin = span.begin + used;
      const std::uint32_t size = std::min(room, span.end - begin);
      filled.spans.push_back({span.block, begin, begin + size});
      room -= size;
      used += size;
      if (begin + size == span.end) {
        ++next;
        used = 0;
      }
    }
  }
  filled.firsts[kUnitPages] = static_cast<std::uint32_t>(filled.spans.size());
  return filled;
}

void PageIndex::keep_pending_from(std::size_t next, std::uint32_t used) {
  std::vector<PageSpan> left;
  for (; next < pending_.size(); ++next) {
    left.push_back(pending_[next]);
    left.back().begin += used;
    used = 0;
  }
  pending_ = Spans();  // views go on to see the old ones
  pending_bytes_ = 0;
  std::ranges::for_each(left, [this](const PageSpan& span) { push(span); });
}

PageIndex::View PageIndex::view(Text text, Exists exists) {
  if (released_bytes_ > std::max(kLeastSweep, units_.size() * unit_bytes() / 4)) sweep(exists);
  if (pending_bytes_ >= unit_bytes()) {
    std::size_t next = 0;
    std::uint32_t used = 0;
    for (std::uint64_t left = pending_bytes_; left >= unit_bytes(); left -= unit_bytes()) {
      Filled filled = fill(next, used);
      units_.push_back(std::make_shared<PageUnit>(std::move(filled.spans), filled.firsts, text));
    }
    keep_pending_from(next, used);
  }
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
  pending_ = Spans();
  pending_bytes_ = 0;
  std::ranges::for_each(left, [this](const PageSpan& span) { push(span); });
}

std::size_t PageIndex::full_units() const {
  return units_.size() + static_cast<std::size_t>(pending_bytes_ / unit_bytes());
}

void PageIndex::adopt(const std::uint64_t* words, std::shared_ptr<const void> owner) {
  std::size_t next = 0;
  std::uint32_t used = 0;
  for (std::size_t n = full_units(); n > 0; --n, words += kUnitWords) {
    Filled filled = fill(next, used);
    units_.push_back(
        std::make_shared<PageUnit>(std::move(filled.spans), filled.firsts, words, owner));
  }
  keep_pending_from(next, used);
}

std::size_t PageIndex::size_bytes() const {
  std::size_t sum = units_.size_bytes() + pending_.size_bytes();
  for (std::size_t u = 0; u < units_.size(); ++u) {
    sum += sizeof(PageUnit) + kUnitIndexBytes + units_[u]->spans().capacity() * sizeof(PageSpan);
  }
  return sum;
}

}  // namespace knarr
