#include "vectors/rerank.h"

#include <algorithm>
#include <array>

namespace knarr {
namespace {

constexpr std::size_t kBlockRows = 32;  // scored before the rule to stop is looked at again

struct Worse {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.upper != b.upper ? a.upper < b.upper : a.row > b.row;
  }
};

}  // namespace

Reranked rerank(const VectorView& view, std::vector<Candidate> candidates, const float* query,
                std::size_t k, const RowLess& before, const ScanKernel& kernel,
                std::uint64_t most) {
  Reranked out;
  TopK best(k, before);
  KthLargest kth(k);
  std::array<Row, kBlockRows> rows;
  std::array<const std::byte*, kBlockRows> data;
  std::array<float, kBlockRows> scores;
  std::make_heap(candidates.begin(), candidates.end(), Worse());
  while (!candidates.empty() && candidates.front().upper >= kth.value()) {
    if (out.scored >= most) return out;
    std::size_t n = 0;
    while (n < kBlockRows && !candidates.empty()) {
      rows[n] = candidates.front().row;
      data[n] = view.data(rows[n]);
      ++n;
      std::pop_heap(candidates.begin(), candidates.end(), Worse());
      candidates.pop_back();
    }
    kernel.block(data.data(), n, &query, 1, view.dim(), scores.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      best.offer(rows[i], scores[i]);
      kth.offer(scores[i]);
    }
    out.scored += n;
  }
  out.rows = best.take();
  out.is_done = true;
  return out;
}

}  // namespace knarr
