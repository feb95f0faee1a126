// Candidates are scored in blocks, each the most promising of those that are left; the first is
// selected, and of what it leaves hope for, as many as may be scored are sorted, once. After a
// block those that have become hopeless are dropped, also those of the block itself: so a candidate
// that was hopeless from the start changes nothing by being there. The first block holds at least k
// rows, for before that no row can be ruled out.
#include "vectors/rerank.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"

namespace knarr {
namespace {

constexpr std::size_t kPieceRows = 32;        // scored by one call of the kernel
constexpr std::size_t kLeastBlock = 32;       // rows between two looks at the rule to stop
constexpr std::size_t kBlocksPerK = 4;        // or a quarter of k, where that is more
constexpr std::size_t kFewTimes = 8;          // as many times a block are selected in place
constexpr std::size_t kQueriesPerWorker = 8;  // of some tens of microseconds each

struct Better {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.upper != b.upper ? a.upper > b.upper : a.row < b.row;
  }
};

// Moves the n best to the front.
void select(std::vector<Candidate>& candidates, std::size_t n) {
  if (n >= candidates.size()) return;
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(n);
  if (candidates.size() <= kFewTimes * n) {
    std::nth_element(candidates.begin(), end, candidates.end(), Better());
  } else {
    std::partial_sort(candidates.begin(), end, candidates.end(), Better());
  }
}

// Sorts the best, one more than `most` of them, to the front; returns their end.
auto sort_best(std::vector<Candidate>::iterator begin, std::vector<Candidate>::iterator end,
               std::uint64_t most) {
  auto last = end;
  if (static_cast<std::uint64_t>(end - begin) > most) {
    last = begin + static_cast<std::ptrdiff_t>(most);
    std::nth_element(begin, last++, end, Better());
  }
  std::sort(begin, last, Better());
  return last;
}

}  // namespace

Reranked rerank(const VectorView& view, std::vector<Candidate> candidates, const float* query,
                std::size_t k, const RowLess& before, const ScanKernel& kernel,
                std::uint64_t most) {
  Reranked out;
  TopK best(k, before);
  KthLargest kth(k);
  std::array<const std::byte*, kPieceRows> data;
  std::vector<float> scores;
  std::size_t begin = 0, end = candidates.size(), n = std::min(std::max(k, kLeastBlock), end);
  auto unsorted = candidates.end(), last_unsorted = candidates.end();
  select(candidates, n);
  while (n > 0) {
    if (out.scored >= most) return out;
    const Candidate* const block = candidates.data() + begin;
    scores.resize(n);
    for (std::size_t at = 0; at < n; at += kPieceRows) {
      const std::size_t m = std::min(kPieceRows, n - at);
      for (std::size_t i = 0; i < m; ++i) data[i] = view.data(block[at + i].row);
      kernel.block(data.data(), m, &query, 1, view.dim(), scores.data() + at, m);
    }
    for (std::size_t i = 0; i < n; ++i) kth.offer(std::min(scores[i], block[i].upper));
    const float floor = kth.value();
    for (std::size_t i = 0; i < n; ++i) {
      if (block[i].upper < floor) continue;
      best.offer(block[i].row, scores[i]);
      ++out.scored;
    }
    const auto has_hope = [floor](const Candidate& each) { return each.upper >= floor; };
    const auto rest = candidates.begin() + static_cast<std::ptrdiff_t>(begin + n);
    const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(end);
    if (begin == 0) {
      const auto left = std::partition(rest, last, has_hope);
      unsorted = sort_best(rest, left, most);
      last_unsorted = left;
      end = static_cast<std::size_t>(unsorted - candidates.begin());
    } else {
      end =
          static_cast<std::size_t>(std::partition_point(rest, last, has_hope) - candidates.begin());
    }
    begin += n;
    n = std::min(std::max(k / kBlocksPerK, kLeastBlock), end - begin);
    if (n == 0 && std::any_of(unsorted, last_unsorted, has_hope)) return out;
  }
  out.rows = best.take();
  out.is_done = true;
  return out;
}

void rerank_each(const VectorView& view, std::span<Candidates> kept,
                 std::span<const float* const> queries, std::size_t k, const RowLess& before,
                 const ScanKernel& kernel, std::uint64_t most, std::span<Reranked> out) {
  const auto workers =
      static_cast<unsigned>(std::min<std::size_t>(kept.size() / kQueriesPerWorker, max_workers()));
  parallel_for(kept.size(), workers, [&](unsigned, std::size_t q) {
    out[q] = rerank(view, kept[q].take(), queries[q], k, before, kernel, most);
  });
}

}  // namespace knarr
