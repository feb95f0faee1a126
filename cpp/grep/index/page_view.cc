// What a view of the index answers.
#include <algorithm>
#include <bit>

#include "grep/index/page_index.h"

namespace knarr {
namespace {

constexpr std::size_t kSampledUnits = 8;
constexpr std::size_t kAhead = 4;  // units whose lines are fetched in advance

}  // namespace

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

std::size_t PageIndex::View::size_bytes() const {
  std::size_t sum = pending_count() * sizeof(PageSpan);
  for (std::size_t u = 0; u < unit_count(); ++u) sum += unit(u).size_bytes();
  return sum;
}

}  // namespace knarr
