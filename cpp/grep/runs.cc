#include "grep/runs.h"

#include <algorithm>

namespace knarr {
namespace {

struct SliceRun {
  BlockId block;
  std::uint32_t first;
  std::uint32_t end;  // one past the last slice
};

// Joins slices as rows come. Rows of two blocks that alternate give one run per row, to be sorted
// and joined again.
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

}  // namespace

std::vector<Run> allowed_runs(const TextView& texts, const RowSet& allowed) {
  RunBuilder builder;
  allowed.for_each_range([&](Row begin, Row end) {
    end = std::min(end, texts.rows_end());
    for (Row row = begin; row < end; ++row) {
      const TextPlace place = texts.place(row);
      if (place.block != kNoBlock) builder.add(place);
    }
  });
  std::vector<Run> runs;
  for (const SliceRun& run : builder.finish()) {
    const Block& block = *texts.block(run.block);
    const Run bytes{run.block, block.slice(run.first).begin_byte,
                    block.slice(run.end - 1).end_byte};
    if (bytes.begin_byte < bytes.end_byte) runs.push_back(bytes);
  }
  return runs;
}

void add_runs(const Block& block, BlockId id, const RowSet& allowed, std::vector<Run>& runs) {
  const Row begin = block.slice(0).row;
  const Row end = block.slice(block.slice_count() - 1).row + 1;
  SliceRun open{id, 0, 0};
  const auto close = [&] {
    if (open.first == open.end) return;
    const Run run{id, block.slice(open.first).begin_byte, block.slice(open.end - 1).end_byte};
    if (run.begin_byte < run.end_byte) runs.push_back(run);
  };
  // Two ranges of rows may meet in adjacent slices: the rows between them are another block's.
  (allowed & RowSet::range(begin, end)).for_each_range([&](Row from, Row to) {
    const std::uint32_t first = block.slice_from(from);
    const std::uint32_t last = block.slice_from(to);
    if (first == last) return;
    if (first != open.end) {
      close();
      open.first = first;
    }
    open.end = last;
  });
  close();
}

}  // namespace knarr
