#include "grep/index/page_span.h"

#include <algorithm>

namespace knarr {

void sort_and_join(std::vector<PageSpan>& spans) {
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

std::vector<PageSpan> parts_near(std::span<const PageSpan> spans, std::span<const PageSpan> others,
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

}  // namespace knarr
