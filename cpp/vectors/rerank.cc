// Candidates are scored in blocks, each the most promising of those that are left, and each some
// times as long as all before it: so a block is selected, and nothing need be sorted. After a block
// those that have become hopeless are dropped, also those of the block itself: so a candidate that
// was hopeless from the start changes nothing by being there. The first block holds at least k
// rows, for before that no row can be ruled out.
#include "vectors/rerank.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "vectors/score.h"

namespace knarr {
namespace {

constexpr std::size_t kLeastBlock = 32;       // rows of the first block
constexpr std::uint64_t kGrowth = 8;          // times as long as all before is the next block
constexpr std::size_t kLeastTested = 200;     // rows of a block whose quantised rows are read first
constexpr std::size_t kFewTimes = 8;          // as many times a block are selected in place
constexpr std::size_t kQueriesPerWorker = 8;  // of some tens of microseconds each

struct Better {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.upper != b.upper ? a.upper > b.upper : a.row < b.row;
  }
};

using Some = std::span<Candidate>;

// Moves the n best to the front.
void select(Some some, std::size_t n) {
  if (n >= some.size()) return;
  const auto end = some.begin() + static_cast<std::ptrdiff_t>(n);
  if (some.size() <= kFewTimes * n) {
    std::nth_element(some.begin(), end, some.end(), Better());
  } else {
    std::partial_sort(some.begin(), end, some.end(), Better());
  }
}

// Moves those that may still be among the best to the front; returns them.
Some hopeful(Some some, float floor) {
  const auto end = std::partition(some.begin(), some.end(),
                                  [floor](const Candidate& each) { return each.upper >= floor; });
  return some.first(static_cast<std::size_t>(end - some.begin()));
}

// Tells from quantised rows which rows cannot reach a score.
class QuantisedTest {
 public:
  QuantisedTest(const VectorView& view, const float* query, QuantisedCosines cosines)
      : view_(&view), query_({query, view.dim()}, view.quantised_shape()), cosines_(cosines) {}

  // Moves those that may reach it to the front; returns them.
  Some within(Some some, float score) const {
    const QuantisedBound bound = query_.bound(score);
    const QueryBytes bytes = query_.bytes();
    const QuantisedShape& shape = view_->quantised_shape();
    std::array<std::array<const std::byte*, kPieceRows>, 2> data;
    std::array<float, kPieceRows> cosines, slacks;
    std::size_t kept = 0;
    ask_for(piece(some, 0), data[0]);
    for (std::size_t at = 0; at < some.size(); at += kPieceRows) {
      const Some here = piece(some, at);
      const std::size_t turn = at / kPieceRows % 2;
      ask_for(piece(some, at + kPieceRows), data[1 - turn]);
      cosines_(data[turn].data(), here.size(), &bytes, 1, shape.numbers, cosines.data(),
               here.size(), slacks.data());
      for (std::size_t i = 0; i < here.size(); ++i) {
        std::swap(some[kept], here[i]);
        kept += bound.is_within(cosines[i], slacks[i]) ? 1 : 0;
      }
    }
    return some.first(kept);
  }

 private:
  static constexpr std::size_t kPieceRows = 16;
  static constexpr std::size_t kLine = 64;

  static Some piece(Some some, std::size_t at) {
    const Some rest = some.subspan(std::min(at, some.size()));
    return rest.first(std::min(kPieceRows, rest.size()));
  }

  // Finds the quantised rows of a piece, and asks for them.
  void ask_for(Some piece, std::array<const std::byte*, kPieceRows>& data) const {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      data[i] = view_->quantised_row(piece[i].row);
      const std::byte* end = data[i] + view_->quantised_shape().size_bytes;
      for (const std::byte* line = data[i]; line < end; line += kLine) __builtin_prefetch(line);
    }
  }

  const VectorView* view_;
  QuantisedQuery query_;
  QuantisedCosines cosines_;
};

}  // namespace

Reranked rerank(const VectorView& view, std::vector<Candidate> candidates, const float* query,
                std::size_t k, const RowLess& before, const ScoreKernel& kernel,
                QuantisedCosines quantised, std::uint64_t most) {
  Reranked out;
  if (candidates.size() / kHopeless > most) return out;
  TopK best(k, before);
  KthLargest kth(k);
  std::vector<float> scores;
  std::optional<QuantisedTest> test;
  std::size_t n = std::max(k, kLeastBlock);
  for (Some left(candidates); !left.empty();) {
    if (out.scored > 0 && out.scored >= most) return out;
    n = std::min(n, left.size());
    select(left, n);
    const Some block = left.first(n);
    Some close = block;
    if (out.scored > 0 && n >= kLeastTested && quantised != nullptr &&
        view.has_quantised_rows_at_hand()) {
      if (!test) test.emplace(view, query, quantised);
      close = test->within(block, kth.value());
    }
    scores.resize(n);
    score_each(view, close, query, kernel, scores.data());
    for (std::size_t i = 0; i < close.size(); ++i) kth.offer(std::min(scores[i], close[i].upper));
    const float floor = kth.value();
    for (std::size_t i = 0; i < close.size(); ++i) {
      if (close[i].upper >= floor) best.offer(close[i].row, scores[i]);
    }
    out.scored += hopeful(block, floor).size();
    left = hopeful(left.subspan(n), floor);
    n = static_cast<std::size_t>(std::min(kGrowth * out.scored, most - std::min(most, out.scored)));
  }
  out.rows = best.take();
  out.is_done = true;
  return out;
}

void rerank_each(const VectorView& view, std::span<Candidates> kept,
                 std::span<const float* const> queries, std::size_t k, const RowLess& before,
                 const ScoreKernel& kernel, QuantisedCosines quantised, std::uint64_t most,
                 std::span<Reranked> out) {
  const auto workers =
      static_cast<unsigned>(std::min<std::size_t>(kept.size() / kQueriesPerWorker, max_workers()));
  parallel_for(kept.size(), workers, [&](unsigned, std::size_t q) {
    if (kept[q].is_given_up()) return;
    out[q] = rerank(view, kept[q].take(), queries[q], k, before, kernel, quantised, most);
  });
}

}  // namespace knarr
