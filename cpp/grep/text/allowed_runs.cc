#include "grep/text/allowed_runs.h"

#include <algorithm>

namespace knarr {
namespace {

// A run as slices of its block.
struct SliceRun {
  BlockId block;
  std::uint32_t first;
  std::uint32_t end;  // one past the last slice
};

// Joins slices in the order of their rows. Where the rows of two blocks alternate, that gives a run
// for each row; such runs are sorted and joined at the end.
class RunBuilder {
 public:
  void add(TextPlace place) {
    if (!runs_.empty()) {
      SliceRun& last = runs_.back();
      if (last.block == place.block && last.end == place.slice) {
        ++last.end;
        return;
      }
      ascending_ &= last.block <= place.block;
    }
    runs_.push_back({place.block, place.slice, place.slice + 1});
  }

  std::vector<SliceRun> finish() {
    if (ascending_) return std::move(runs_);
    std::sort(runs_.begin(), runs_.end(), [](const SliceRun& a, const SliceRun& b) {
      return a.block != b.block ? a.block < b.block : a.first < b.first;
    });
    std::vector<SliceRun> joined;
    for (const SliceRun& run : runs_) {
      if (!joined.empty() && joined.back().block == run.block && joined.back().end == run.first) {
        joined.back().end = run.end;
      } else {
        joined.push_back(run);
      }
    }
    return joined;
  }

 private:
  std::vector<SliceRun> runs_;
  bool ascending_ = true;
};

// The runs among slices [from, to) of a block. Slices of two separate ranges of rows may be
// adjacent: the rows between the ranges belong to another block.
void slice_runs(const Block& block, BlockId id, const RowSet& allowed, std::uint32_t from,
                std::uint32_t to, std::vector<SliceRun>& runs) {
  runs.clear();
  const RowSet rows = allowed & RowSet::range(block.slice(from).row, block.slice(to - 1).row + 1);
  rows.for_each_range([&](Row begin, Row end) {
    const std::uint32_t first = block.slice_from(begin);
    const std::uint32_t last = block.slice_from(end);
    if (first == last) return;
    if (!runs.empty() && runs.back().end == first) {
      runs.back().end = last;
    } else {
      runs.push_back({id, first, last});
    }
  });
}

}  // namespace

std::vector<TextRun> allowed_runs(const TextView& texts, const RowSet& allowed) {
  RunBuilder builder;
  allowed.for_each_range([&](Row begin, Row end) {
    end = std::min(end, texts.rows_end());
    for (Row row = begin; row < end; ++row) {
      const TextPlace place = texts.place(row);
      if (place.block != kNoBlock) builder.add(place);
    }
  });
  std::vector<TextRun> runs;
  for (const SliceRun& run : builder.finish()) {
    const Block& block = *texts.block(run.block);
    const TextRun bytes{run.block, block.slice(run.first).begin_byte,
                        block.slice(run.end - 1).end_byte};
    if (bytes.begin_byte < bytes.end_byte) runs.push_back(bytes);
  }
  return runs;
}

void add_runs(const Block& block, BlockId id, const RowSet& allowed,
              std::span<const PageSpan> spans, std::vector<TextRun>& runs) {
  constexpr std::uint32_t narrow = 32;
  const std::uint32_t count = block.slice_count();
  std::uint32_t done = 0;  // no run that is still to be found has an earlier slice
  std::vector<SliceRun> found;
  for (const PageSpan& span : spans) {
    const std::uint32_t first = std::max(done, block.slice_at(block.to_text(span.begin)));
    const std::uint32_t end = block.slice_at(block.to_text(span.end)) + 1;
    if (first >= end) continue;
    // The window around the span grows until no run that meets the span touches its border.
    for (std::uint32_t margin = narrow;; margin = margin > count / 8 ? count : margin * 8) {
      const std::uint32_t from = first - std::min(margin, first - done);
      const std::uint32_t to = end + std::min(margin, count - end);
      slice_runs(block, id, allowed, from, to, found);
      std::erase_if(found,
                    [&](const SliceRun& run) { return run.end <= first || run.first >= end; });
      if (found.empty()) break;
      const bool goes_on =
          (found.front().first == from && from > done) || (found.back().end == to && to < count);
      if (!goes_on) break;
    }
    done = end;
    for (const SliceRun& run : found) {
      const TextRun bytes{id, block.slice(run.first).begin_byte, block.slice(run.end - 1).end_byte};
      if (bytes.begin_byte < bytes.end_byte) runs.push_back(bytes);
      done = std::max(done, run.end);
    }
  }
}

}  // namespace knarr
