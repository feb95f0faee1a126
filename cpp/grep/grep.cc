// Searches are grouped into tasks of about 256 KiB, which threads scan in any order. Their results
// are joined in the order of the text, so that they do not depend on how the work was shared.
#include "grep/grep.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include "base/error.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "grep/pattern/pattern.h"
#include "grep/plan.h"
#include "grep/scan.h"

namespace knarr {
namespace {

constexpr std::uint64_t kBytesPerTask = 1 << 18;
constexpr std::uint64_t kBytesPerWorker = 1 << 18;  // a tenth of a millisecond or more

void check(const GrepOptions& options) {
  const auto refuse = [](const char* name, const std::string& expected, const std::string& got) {
    fail(ErrorCode::kInvalidArgument,
         std::string(name) + ": expected " + expected + ", got " + got);
  };
  if (options.limit > kMaxMatchesShown) {
    refuse("limit", "at most " + std::to_string(kMaxMatchesShown), std::to_string(options.limit));
  }
  if (options.width < 1 || options.width > kMaxExcerptBytes) {
    refuse("width", "1 to " + std::to_string(kMaxExcerptBytes) + " bytes",
           std::to_string(options.width));
  }
  if (options.timeout_ms < 1) {
    refuse("timeout_ms", "at least 1", std::to_string(options.timeout_ms));
  }
}

// Searches [first_search, end_search) of a plan.
struct Task {
  std::size_t first_search;
  std::size_t end_search;
};

std::uint64_t cost_of(const GrepPlan& plan, const RunSearch& search) {
  constexpr std::uint64_t least = 256;  // the fixed cost of a search, in bytes
  std::uint64_t bytes = least;
  for (std::size_t i = search.first_stretch; i < search.end_stretch; ++i) {
    bytes += plan.stretches[i].end - plan.stretches[i].begin;
  }
  return bytes;
}

std::vector<Task> cut_into_tasks(const GrepPlan& plan, std::uint64_t& cost) {
  std::vector<Task> tasks;
  Task task{0, 0};
  std::uint64_t task_cost = 0;
  for (std::size_t i = 0; i < plan.searches.size(); ++i) {
    task.end_search = i + 1;
    task_cost += cost_of(plan, plan.searches[i]);
    if (task_cost >= kBytesPerTask || i + 1 == plan.searches.size()) {
      tasks.push_back(task);
      task = {i + 1, i + 1};
      cost += task_cost;
      task_cost = 0;
    }
  }
  return tasks;
}

void run_task(const TextView& texts, const GrepPlan& plan, const Task& task, const Pattern& pattern,
              std::uint64_t keep, Deadline& deadline, ScanResult& result) {
  const std::span stretches(plan.stretches);
  for (std::size_t i = task.first_search; i < task.end_search; ++i) {
    const RunSearch& search = plan.searches[i];
    scan(pattern, *texts.block(search.run.block), search,
         stretches.subspan(search.first_stretch, search.end_stretch - search.first_stretch), keep,
         deadline, result);
  }
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

struct ExcerptWindow {
  std::uint32_t begin_byte;
  std::uint32_t end_byte;
};

// At most `width` bytes of the line in which the match begins: whole characters, no line end,
// nothing outside the match's run. The match is in the middle where there is room; a match longer
// than the window is shown from its beginning. Only bytes near the match are read: a line may be
// megabytes long.
ExcerptWindow excerpt_window(const Block& block, const RawMatch& match, std::size_t width) {
  const std::string_view text = block.text();
  const std::size_t low = match.run.begin_byte;
  const std::size_t high = match.run.end_byte;

  std::size_t begin = match.begin_byte;
  std::size_t end = begin;
  const std::size_t match_end = std::min<std::size_t>(match.end_byte, begin + width);
  while (end < match_end && !is_line_end(text[end])) ++end;

  // How far either side could go, then what each may take of what is left.
  std::size_t room = width - (end - begin);
  std::size_t before = begin;
  while (before > low && begin - before < room && !is_line_end(text[before - 1])) --before;
  std::size_t after = end;
  if (end == match.end_byte) {  // not when the match itself goes on
    while (after < high && after - end < room && !is_line_end(text[after])) ++after;
  }
  const std::size_t left = begin - before;
  const std::size_t right = after - end;
  const std::size_t take_left = std::min(left, std::max(room / 2, room - std::min(room, right)));
  const std::size_t take_right = std::min(right, room - take_left);
  const std::size_t window_begin = boundary_after(text, begin - take_left);
  const std::size_t window_end = boundary_before(text, end + take_right);
  return {static_cast<std::uint32_t>(window_begin),
          static_cast<std::uint32_t>(std::max(window_begin, window_end))};
}

GrepMatch make_match(const TextView& texts, const RawMatch& raw, std::size_t width) {
  const Block& block = *texts.block(raw.run.block);
  GrepMatch match;
  match.block = raw.run.block;
  match.begin_byte = raw.begin_byte;
  match.end_byte = raw.end_byte;
  match.line = block.line_at(raw.begin_byte);
  match.column = raw.begin_byte - block.line_begin(raw.begin_byte) + 1;
  const std::uint32_t first = block.slice_at(raw.begin_byte);
  const std::uint32_t last = block.slice_at(std::max(raw.begin_byte + 1, raw.end_byte) - 1);
  for (std::uint32_t i = first; i <= last; ++i) {
    const Slice slice = block.slice(i);
    if (slice.begin_byte < slice.end_byte) match.rows.push_back(slice.row);
  }
  const ExcerptWindow window = excerpt_window(block, raw, width);
  match.excerpt = block.text().substr(window.begin_byte, window.end_byte - window.begin_byte);
  match.excerpt_begin_byte = window.begin_byte;
  return match;
}

std::string incomplete_note(const GrepResult& result, std::int64_t timeout_ms) {
  char note[160];
  std::snprintf(note, sizeof note,
                "time limit of %lld ms reached: %.1f of %.1f MB searched; narrow the scope or "
                "simplify the pattern",
                static_cast<long long>(timeout_ms),
                static_cast<double>(result.bytes_searched) / 1e6,
                static_cast<double>(result.bytes_allowed) / 1e6);
  return note;
}

// Builds the result from those of the tasks, in order.
class ResultBuilder {
 public:
  ResultBuilder(const TextView& texts, const GrepOptions& options)
      : texts_(texts), options_(options) {}

  void add(const ScanResult& part) {
    for (std::size_t i = first_shown(part); i < part.matches.size() && !full(); ++i) {
      result.matches.push_back(make_match(texts_, part.matches[i], options_.width));
    }
    result.total += part.total;
    result.bytes_searched += part.bytes_searched;
    if (part.stopped_block != kNoBlock && result.first_unsearched == kNoRow) {
      const Block& block = *texts_.block(part.stopped_block);
      result.first_unsearched = block.slice(block.slice_at(part.stopped_byte)).row;
    }
  }

  void finish() {
    const std::uint64_t shown_end = options_.offset + result.matches.size();
    if (!result.matches.empty() && shown_end < result.total) result.next_offset = shown_end;
    if (result.first_unsearched != kNoRow) {
      result.outcome = GrepOutcome::kIncomplete;
      result.note = incomplete_note(result, options_.timeout_ms);
    } else {
      result.outcome = result.total > 0 ? GrepOutcome::kMatches : GrepOutcome::kNoMatches;
    }
  }

  GrepResult result;

 private:
  bool full() const { return result.matches.size() >= options_.limit; }
  std::size_t first_shown(const ScanResult& part) const {
    const std::uint64_t before = result.total;
    if (options_.offset <= before) return 0;
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(options_.offset - before, part.matches.size()));
  }

  const TextView& texts_;
  const GrepOptions& options_;
};

}  // namespace

GrepResult grep(const TextView& texts, const RowSet& allowed, std::string_view text,
                const GrepOptions& options) {
  check(options);
  Deadline deadline{std::chrono::milliseconds(std::min<std::int64_t>(options.timeout_ms, 1 << 30))};
  const auto pattern = cached_pattern(text, options.literal, options.ignore_case);
  const GrepPlan plan = make_plan(texts, allowed, *pattern, options.index);
  std::uint64_t cost = 0;
  const std::vector<Task> tasks = cut_into_tasks(plan, cost);

  ResultBuilder builder(texts, options);
  for (const RunSearch& search : plan.searches) {
    builder.result.bytes_allowed += search.end_byte - search.begin_byte;
  }
  const std::uint64_t keep =
      options.offset > UINT64_MAX - options.limit ? UINT64_MAX : options.offset + options.limit;
  std::vector<ScanResult> parts(tasks.size());
  const auto workers =
      static_cast<unsigned>(std::clamp<std::uint64_t>(cost / kBytesPerWorker, 1, max_workers()));
  parallel_for(tasks.size(), workers, [&](unsigned, std::size_t i) {
    run_task(texts, plan, tasks[i], *pattern, keep, deadline, parts[i]);
  });
  for (const ScanResult& part : parts) builder.add(part);
  builder.finish();
  return std::move(builder.result);
}

}  // namespace knarr
