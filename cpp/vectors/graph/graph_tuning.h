// What walks through one graph find and cost, measured on its own rows when it was made.
//
// The queries are rows drawn some of the way towards others: none of it, half way, or anything
// between, for what people ask lies off the rows, and a walk to where many rows are equally far
// finds less than a walk to a row. For some expansions, the share of the ten nearest that a walk
// finds and how many slots it compares are kept; both belong to the graph. The time of one
// comparison is this machine's. Beside real questions these numbers were low or right
// (bench/README.md).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "filter/rows.h"

namespace knarr {

class Graph;

struct GraphEffort {
  std::size_t expansion = 0;
  double recall = 0;
  double compared = 0;
};

inline constexpr std::array<std::size_t, 8> kGraphExpansions = {16,  32,  64,   128,
                                                                256, 512, 1024, 2048};
// More results than this are not looked for by walks.
inline constexpr std::size_t kMostGraphResults = 256;

class GraphTuning {
 public:
  using Efforts = std::array<GraphEffort, kGraphExpansions.size()>;

  GraphTuning() = default;
  GraphTuning(std::size_t slots, const Efforts& efforts) : slots_(slots), efforts_(efforts) {}

  // Measures a graph by walks to rows of `live`. False, with nothing changed, when `stop` became
  // true. Takes a second for a million slots.
  bool measure(const Graph& graph, const RowSet& live, const std::atomic<bool>& stop);
  // The time of a comparison alone.
  void measure_time(const Graph& graph);

  std::size_t slots() const { return slots_; }  // of the graph that was measured; 0: none
  const Efforts& efforts() const { return efforts_; }

  // The expansion that finds k rows with this recall: the least for ten that missed at most half of
  // what may be missed, and two more for each result beyond. 0 when all missed more.
  std::size_t expansion(std::size_t k, double recall_target) const;

  // How many slots a walk of this expansion compares when it may keep the share `allowed` of rows.
  double compared(std::size_t expansion, double allowed) const;
  double compare_ns() const { return compare_ns_; }

 private:
  std::size_t slots_ = 0;
  Efforts efforts_{};
  double compare_ns_ = 0;
};

}  // namespace knarr
