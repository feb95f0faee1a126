#include "vectors/graph/graph_tuning.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <vector>

#include "vectors/candidates.h"
#include "vectors/graph/graph.h"
#include "vectors/graph/graph_walk.h"

namespace knarr {
namespace {

constexpr std::size_t kSamples = 64;
constexpr std::size_t kResults = 10;
constexpr std::size_t kBlock = 256;  // rows that are compared with all samples while in the cache
constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

// Of this thread: other threads may run meanwhile.
double cpu_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class Numbers {  // the same ones for everybody
 public:
  std::uint32_t next() {
    state_ = state_ * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }

 private:
  std::uint64_t state_ = 1;
};

// A row and the part `share` of another, as a unit vector.
QuantisedQuery between(const Graph& graph, Slot a, Slot b, float share) {
  const QuantisedShape& shape = graph.shape();
  std::vector<float> sum(shape.numbers);
  const auto add = [&](Slot slot, float part) {
    const auto* numbers = reinterpret_cast<const std::int8_t*>(graph.quantised_row(slot));
    const float scale = shape.scale(graph.quantised_row(slot)) * part;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += scale * static_cast<float>(numbers[i]);
  };
  add(a, 1);
  add(b, share);
  spread_apart(sum);  // as vectors are before they are made short
  double length = 0;
  for (const float x : sum) length += double{x} * x;
  const float scale = length > 0 ? static_cast<float>(1 / std::sqrt(length)) : 0;
  for (float& x : sum) x *= scale;
  if (length == 0) sum[0] = 1;
  return {sum, shape};
}

std::vector<QuantisedQuery> samples(const Graph& graph) {
  Numbers numbers;
  const auto slots = static_cast<Slot>(graph.size());
  std::vector<QuantisedQuery> out;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const Slot a = numbers.next() % slots, b = numbers.next() % slots;
    out.push_back(between(graph, a, b, static_cast<float>(i) / kSamples));
  }
  return out;
}

// For each query, the tenth highest of what the cosines of live rows can be at most, as walks know
// them. Empty when stopped.
std::vector<KthLargest> tenths(const Graph& graph, const std::vector<QuantisedQuery>& queries,
                               const RowSet& live, const std::atomic<bool>& stop) {
  const QuantisedShape& shape = graph.shape();
  const QuantisedCosines cosines = quantised_cosines();
  std::vector<KthLargest> out(queries.size(), KthLargest(kResults));
  std::array<const std::byte*, kBlock> rows;
  std::array<float, kBlock> found, slacks;
  for (std::size_t begin = 0; begin < graph.size();) {
    std::size_t n = 0;
    for (; begin < graph.size() && n < kBlock; ++begin) {
      const auto slot = static_cast<Slot>(begin);
      if (graph.row(slot) != kNoRow && live.contains(graph.row(slot))) {
        rows[n++] = graph.quantised_row(slot);
      }
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const QuantisedSide side = queries[q].side();
      cosines(rows.data(), n, &side, 1, shape.numbers, found.data(), kBlock, slacks.data());
      for (std::size_t i = 0; i < n; ++i) out[q].offer(queries[q].best(found[i], slacks[i]));
    }
    if (stop.load(std::memory_order_relaxed)) return {};
  }
  return out;
}

}  // namespace

bool GraphTuning::measure(const Graph& graph, const RowSet& live, const std::atomic<bool>& stop) {
  GraphTuning measured;
  measured.slots_ = graph.size();
  const std::vector<QuantisedQuery> queries = samples(graph);
  std::vector<KthLargest> truth = tenths(graph, queries, live, stop);
  if (truth.empty()) return false;
  for (std::size_t e = 0; e < kGraphExpansions.size(); ++e) {
    GraphEffort& effort = measured.efforts_[e];
    effort.expansion = kGraphExpansions[e];
    std::size_t found = 0, compared = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const Walked walked =
          walk(graph, queries[q], effort.expansion, live, kNoBound, quantised_cosines());
      const float least = truth[q].value();
      found += std::min<std::size_t>(
          kResults, static_cast<std::size_t>(
                        std::count_if(walked.nearest.begin(), walked.nearest.end(),
                                      [&](const Candidate& each) { return each.upper >= least; })));
      compared += walked.compared;
      if (stop.load(std::memory_order_relaxed)) return false;
    }
    const auto all = static_cast<double>(
        kSamples * std::min<std::uint64_t>(kResults, std::max<std::uint64_t>(1, live.size())));
    effort.recall = std::min(1.0, static_cast<double>(found) / all);
    effort.compared = static_cast<double>(compared) / kSamples;
  }
  measured.measure_time(graph);
  *this = measured;
  return true;
}

void GraphTuning::measure_time(const Graph& graph) {
  constexpr std::size_t kExpansion = 64;
  const RowSet all = RowSet::range(0, graph.rows_end());
  double compared = 0;
  double spent = 0;
  for (const QuantisedQuery& query : samples(graph)) {
    const double begin = cpu_ns();
    const Walked walked = walk(graph, query, kExpansion, all, kNoBound, quantised_cosines());
    spent += cpu_ns() - begin;
    compared += static_cast<double>(walked.compared);
  }
  compare_ns_ = std::max(1.0, spent / std::max(1.0, compared));
}

std::size_t GraphTuning::expansion(std::size_t k, double recall_target) const {
  if (slots_ == 0 || k > kMostGraphResults || recall_target >= 1) return 0;
  const double least = 1 - (1 - recall_target) / 2;
  for (const GraphEffort& effort : efforts_) {
    if (effort.recall >= least) return effort.expansion + 2 * (k > kResults ? k - kResults : 0);
  }
  return 0;
}

double GraphTuning::compared(std::size_t expansion, double allowed) const {
  const double wanted = static_cast<double>(expansion) / std::clamp(allowed, 1e-9, 1.0);
  std::size_t i = 1;  // a straight line in logarithms, between two measurements or beyond them
  while (i + 1 < efforts_.size() && static_cast<double>(efforts_[i].expansion) < wanted) ++i;
  const GraphEffort& low = efforts_[i - 1];
  const GraphEffort& high = efforts_[i];
  const double slope = std::log(std::max(1.0, high.compared) / std::max(1.0, low.compared)) /
                       std::log(static_cast<double>(high.expansion) / low.expansion);
  const double more = wanted / static_cast<double>(low.expansion);
  return std::min(static_cast<double>(slots_), low.compared * std::pow(more, slope));
}

}  // namespace knarr
