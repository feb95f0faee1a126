#include "vectors/graph/graph_walk.h"

#include <algorithm>
#include <array>

namespace knarr {
namespace {

constexpr std::size_t kPrefetchedBytes = 384;  // of a row

struct Near {
  float distance;
  Slot slot;
};

// Total orders, so that equal distances do not leave it to the heap what comes first.
struct Nearer {
  bool operator()(const Near& a, const Near& b) const {
    return a.distance != b.distance ? a.distance < b.distance : a.slot < b.slot;
  }
};
struct Farther {
  bool operator()(const Near& a, const Near& b) const { return Nearer()(b, a); }
};

// Memory that a thread keeps between walks: a bit for each slot, and what is known of few.
struct Scratch {
  std::vector<std::uint64_t> seen;
  std::vector<Slot> set;   // bits of `seen`
  std::vector<Near> next;  // a heap, the nearest first
  std::vector<Near> best;  // a heap, the farthest first

  void begin(std::size_t slots) {
    for (const Slot slot : set) seen[slot / 64] = 0;
    set.clear();
    next.clear();
    best.clear();
    if (seen.size() < slots / 64 + 1) seen.resize(slots / 64 + 1);
  }
  bool see(Slot slot) {  // whether for the first time
    std::uint64_t& word = seen[slot / 64];
    const std::uint64_t bit = std::uint64_t{1} << slot % 64;
    if ((word & bit) != 0) return false;
    set.push_back(slot);
    word |= bit;
    return true;
  }
};

class Walk {
 public:
  Walk(const Graph& graph, const QuantisedQuery& query, const RowSet& allowed, QuantisedCosines cosines)
      : graph_(graph), query_(query), allowed_(allowed), cosines_of_(cosines) {
    if (allowed.is_range() && !allowed.empty()) {
      begin_ = allowed.first();
      end_ = allowed.last() + 1;
    }
  }

  Walked run(std::size_t expansion, std::uint64_t most) {
    thread_local Scratch scratch;
    scratch_ = &scratch;
    scratch.begin(graph_.size());
    const Near start = descend();
    scratch.see(start.slot);
    offer(start, expansion);
    bool is_done = true;
    while (!scratch.next.empty()) {
      const Near near = scratch.next.front();
      if (scratch.best.size() >= expansion && Nearer()(scratch.best.front(), near)) break;
      if (compared_ >= most) {
        is_done = false;
        break;
      }
      std::pop_heap(scratch.next.begin(), scratch.next.end(), Farther());
      scratch.next.pop_back();
      follow(near.slot, expansion);
    }
    return {candidates(), compared_, is_done};
  }

 private:
  // The nearest slot that the levels above the lowest lead to.
  Near descend() {
    Near near{0, graph_.links().entry()};
    compare({&near.slot, 1});
    near.distance = distances_[0];
    for (std::size_t level = graph_.links().level(near.slot); level > 0; --level) {
      for (bool goes_on = true; goes_on;) {
        goes_on = false;
        const std::size_t n = graph_.links().links(near.slot, level, slots_.data());
        compare({slots_.data(), n});
        for (std::size_t i = 0; i < n; ++i) {
          if (distances_[i] >= near.distance) continue;
          near = {distances_[i], slots_[i]};
          goes_on = true;
        }
      }
    }
    return near;
  }

  void follow(Slot slot, std::size_t expansion) {
    const std::size_t n = graph_.links().links(slot, 0, slots_.data());
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!scratch_->see(slots_[i])) continue;
      const std::byte* row = graph_.quantised_row(slots_[i]);
      for (std::size_t at = 0; at < kPrefetchedBytes; at += 64) __builtin_prefetch(row + at);
      slots_[fresh++] = slots_[i];
    }
    compare({slots_.data(), fresh});
    for (std::size_t i = 0; i < fresh; ++i) offer({distances_[i], slots_[i]}, expansion);
  }

  void offer(const Near& near, std::size_t expansion) {
    std::vector<Near>& best = scratch_->best;
    const bool is_full = best.size() >= expansion;
    if (is_full && !Nearer()(near, best.front())) return;
    scratch_->next.push_back(near);
    std::push_heap(scratch_->next.begin(), scratch_->next.end(), Farther());
    if (!is_allowed(graph_.row(near.slot))) return;
    if (is_full) {
      std::pop_heap(best.begin(), best.end(), Nearer());
      best.pop_back();
    }
    best.push_back(near);
    std::push_heap(best.begin(), best.end(), Nearer());
  }

  bool is_allowed(Row row) const {
    if (begin_ < end_) return row >= begin_ && row < end_;
    return row != kNoRow && allowed_.contains(row);
  }

  // Distances to up to kMostLinks slots.
  void compare(std::span<const Slot> slots) {
    for (std::size_t i = 0; i < slots.size(); ++i) data_[i] = graph_.quantised_row(slots[i]);
    const QuantisedSide side = query_.side();
    cosines_of_(data_.data(), slots.size(), &side, 1, graph_.shape().numbers, distances_.data(),
                kMostLinks, nullptr);
    for (std::size_t i = 0; i < slots.size(); ++i) distances_[i] = -distances_[i];
    compared_ += slots.size();
  }

  // What was found, each with the most that its cosine can be.
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> out;
    out.reserve(scratch_->best.size());
    for (const Near& near : scratch_->best) {
      const std::byte* row = graph_.quantised_row(near.slot);
      out.push_back(
          {graph_.row(near.slot), query_.best(-near.distance, graph_.shape().slack(row))});
    }
    return out;
  }

  const Graph& graph_;
  const QuantisedQuery& query_;
  const RowSet& allowed_;
  QuantisedCosines cosines_of_;
  Row begin_ = 0;  // of the allowed rows, when they are one range
  Row end_ = 0;
  Scratch* scratch_ = nullptr;
  std::uint64_t compared_ = 0;
  std::array<Slot, kMostLinks> slots_;
  std::array<const std::byte*, kMostLinks> data_;
  std::array<float, kMostLinks> distances_;
};

}  // namespace

Walked walk(const Graph& graph, const QuantisedQuery& query, std::size_t expansion,
            const RowSet& allowed, std::uint64_t most, QuantisedCosines cosines) {
  return Walk(graph, query, allowed, cosines).run(expansion, most);
}

}  // namespace knarr
