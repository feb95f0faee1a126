// The scan of a part of a run: all matches of a pattern in it, within a deadline.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "grep/pattern/pattern.h"
#include "grep/plan.h"
#include "grep/text/runs.h"

namespace knarr {

// When a call must be over. Shared by the threads of one call: once one sees that time is up, all
// do at their next look.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(std::chrono::milliseconds from_now) : end_(Clock::now() + from_now) {}

  bool passed() {
    if (passed_.load(std::memory_order_relaxed)) return true;
    if (Clock::now() < end_) return false;
    passed_.store(true, std::memory_order_relaxed);
    return true;
  }
  Clock::duration left() const { return end_ - Clock::now(); }

 private:
  Clock::time_point end_;
  std::atomic<bool> passed_{false};
};

// A match, as bytes of its block's text, and the run that it was found in.
struct RawMatch {
  Run run;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;
};

struct ScanResult {
  std::uint64_t total = 0;
  std::vector<RawMatch> matches;  // the first `keep` of them
  std::uint64_t bytes_searched = 0;
  BlockId stopped_block = kNoBlock;  // where the first unsearched text begins; kNoBlock: nowhere
  std::uint32_t stopped_byte = 0;
};

// Adds the matches to `result`, up to where the deadline passes, or where a piece begins that would
// take longer than what is left; notes the place then.
void scan(const Pattern& pattern, const Block& block, const Search& search,
          std::span<const Stretch> stretches, std::uint64_t keep, Deadline& deadline,
          ScanResult& result);

}  // namespace knarr
