#include "grep/plan.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/utf8.h"

namespace knarr {
namespace {

// Searching a scope this narrow costs less than asking the index.
constexpr std::uint64_t kNarrowRows = 4096;
constexpr std::uint64_t kNarrowBytes = std::uint64_t{256} << 10;

// A clause that leaves a larger share of the pages is not worth asking for.
constexpr double kMaxShare = 0.3;

// Searching this few spans costs less than asking for another clause.
constexpr std::size_t kFewSpans = 200;

// Longer runs are divided, for threads to share.
constexpr std::size_t kSearchBytes = std::size_t{1} << 20;

class GrepPlanner {
 public:
  GrepPlanner(const TextView& texts, const Pattern& pattern) : texts_(texts), pattern_(pattern) {}

  // All of the runs.
  GrepPlan whole(const std::vector<TextRun>& runs) {
    for (const TextRun& run : runs) {
      const Block& block = *texts_.block(run.block);
      const std::size_t first = plan_.stretches.size();
      const std::size_t end = block.to_match(run.end_byte);
      for (std::size_t at = block.to_match(run.begin_byte); at < end;) {
        const std::size_t to =
            end - at < 2 * kSearchBytes
                ? end
                : pattern_.cut_points().after(block.match_text(), at + kSearchBytes, end);
        plan_.stretches.push_back({at, to});
        at = to;
      }
      add_searches(block, run, first);
    }
    return std::move(plan_);
  }

  // The stretches that may contain a match whose required text begins in one of the spans. Runs and
  // spans are those of one block.
  void add(std::span<const TextRun> runs, std::span<const PageSpan> spans) {
    for (const TextRun& run : runs) {
      const Block& block = *texts_.block(run.block);
      const std::size_t first = plan_.stretches.size();
      const std::size_t low = block.to_match(run.begin_byte);
      const std::size_t high = block.to_match(run.end_byte);
      if (low == high) continue;  // the CR of a CRLF alone, which has no match text
      for (const PageSpan& span : spans) {
        if (span.begin >= high) break;
        if (span.end > low) add_stretch(block.match_text(), span, low, high, first);
      }
      add_searches(block, run, first);
    }
  }

  GrepPlan finish() {
    plan_.is_indexed = true;
    return std::move(plan_);
  }

 private:
  // A match contains a required text, which begins in the span. So it begins at most the length of
  // the longest match before the span, and not before the last cut point there; likewise it ends. A
  // stretch that overlaps the one before, of those from `first` on, is joined to it.
  void add_stretch(std::string_view text, const PageSpan& span, std::size_t low, std::size_t high,
                   std::size_t first) {
    const std::size_t begin = std::max<std::size_t>(span.begin, low);
    const std::size_t end = std::min<std::size_t>(span.end, high);
    const bool joins = plan_.stretches.size() > first;
    if (joins && ends_at_cut_ && plan_.stretches.back().end >= end) return;
    const std::size_t floor = joins ? std::min(plan_.stretches.back().end, begin) : low;
    const std::size_t reach = pattern_.longest_bytes();
    std::size_t from = boundary_before(text, begin - std::min(reach, begin - low));
    from = pattern_.cut_points().before(text, begin, std::max(floor, from));
    const std::size_t farthest = boundary_after(text, end + std::min(reach, high - end));
    const std::size_t to = pattern_.cut_points().after(text, end - 1, farthest);
    if (joins && from <= floor) {
      plan_.stretches.back().end = std::max(plan_.stretches.back().end, to);
    } else {
      plan_.stretches.push_back({from, to});
    }
    ends_at_cut_ = to < farthest || to == high;
  }

  // Divides the stretches from `first` on, which are the run's, into searches.
  void add_searches(const Block& block, const TextRun& run, std::size_t first) {
    const std::size_t end = plan_.stretches.size();
    std::uint32_t begin_byte = run.begin_byte;
    while (first < end) {
      std::size_t bytes = 0;
      std::size_t next = first;
      for (; next < end && bytes < kSearchBytes; ++next) {
        bytes += plan_.stretches[next].end - plan_.stretches[next].begin;
      }
      const std::uint32_t end_byte =
          next == end ? run.end_byte
                      : block.to_text(static_cast<std::uint32_t>(plan_.stretches[next].begin));
      plan_.searches.push_back({run, begin_byte, end_byte, first, next});
      begin_byte = end_byte;
      first = next;
    }
  }

  const TextView& texts_;
  const Pattern& pattern_;
  GrepPlan plan_;
  bool ends_at_cut_ = false;  // the last stretch ends at a cut point, not at the longest match
};

// Calls f for the spans of each block.
template <class F>
void for_each_block(std::span<const PageSpan> spans, F&& f) {
  while (!spans.empty()) {
    const BlockId block = spans.front().block;
    const auto next = std::ranges::find_if(spans, [&](const auto& s) { return s.block != block; });
    const auto n = static_cast<std::size_t>(next - spans.begin());
    f(block, spans.first(n));
    spans = spans.subspan(n);
  }
}

std::uint64_t bytes_of(std::span<const TextRun> runs) {
  std::uint64_t sum = 0;
  for (const TextRun& run : runs) sum += run.end_byte - run.begin_byte;
  return sum;
}

// The spans near a text of every clause that is selective enough. Nothing when no clause is.
std::optional<std::vector<PageSpan>> candidates(const PageIndex::View& pages,
                                                const Pattern& pattern, BlockId first, BlockId last,
                                                IndexUse use) {
  const auto ranked = pages.rank(pattern.clauses());
  if (use == IndexUse::kAuto && ranked.front().share > kMaxShare) return std::nullopt;
  std::vector<PageSpan> spans = pages.candidates(ranked.front().clause, first, last);
  for (std::size_t i = 1; i < ranked.size(); ++i) {
    if (use == IndexUse::kAuto && (spans.size() < kFewSpans || ranked[i].share > kMaxShare)) break;
    const auto others = pages.candidates(ranked[i].clause, first, last);
    spans = parts_near(spans, others, static_cast<std::uint32_t>(pattern.longest_bytes()));
  }
  return spans;
}

// The plan for a scope of few rows, whose runs are listed first.
GrepPlan narrow_plan(const TextView& texts, const RowSet& allowed, const Pattern& pattern,
                     IndexUse use) {
  GrepPlanner planner(texts, pattern);
  const std::vector<TextRun> runs = allowed_runs(texts, allowed);
  if (runs.empty() || (use == IndexUse::kAuto && bytes_of(runs) <= kNarrowBytes)) {
    return planner.whole(runs);
  }
  const auto spans = candidates(texts.pages(), pattern, runs.front().block, runs.back().block, use);
  if (!spans) return planner.whole(runs);
  auto run = runs.begin();
  for_each_block(*spans, [&](BlockId id, std::span<const PageSpan> of_block) {
    while (run != runs.end() && run->block < id) ++run;
    const auto begin = run;
    while (run != runs.end() && run->block == id) ++run;
    planner.add({begin, run}, of_block);
  });
  return planner.finish();
}

}  // namespace

GrepPlan make_plan(const TextView& texts, const RowSet& allowed, const Pattern& pattern,
                   IndexUse use) {
  GrepPlanner planner(texts, pattern);
  const PageIndex::View& pages = texts.pages();
  if (use == IndexUse::kNever || pattern.clauses().empty() || pages.unit_count() == 0) {
    return planner.whole(allowed_runs(texts, allowed));
  }
  if (allowed.size() <= kNarrowRows) return narrow_plan(texts, allowed, pattern, use);
  const auto spans = candidates(pages, pattern, 0, kNoBlock, use);
  if (!spans) return planner.whole(allowed_runs(texts, allowed));
  std::vector<TextRun> runs;
  for_each_block(*spans, [&](BlockId id, std::span<const PageSpan> of_block) {
    const Block* block = texts.block(id);
    if (block == nullptr) return;
    runs.clear();
    add_runs(*block, id, allowed, of_block, runs);
    planner.add(runs, of_block);
  });
  return planner.finish();
}

}  // namespace knarr
