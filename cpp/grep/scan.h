// The scan of a part of a run: finds all matches of a pattern in it, within a deadline.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "grep/pattern/pattern.h"
#include "grep/plan.h"
#include "grep/text/allowed_runs.h"

namespace knarr {

// The time at which a call must be over. The threads of a call share it: once one of them sees that
// time is up, the others do at their next look, without reading the clock.
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

// A match as bytes of its block's text, and the run in which it was found.
struct RawMatch {
  TextRun run;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;
};

struct ScanResult {
  std::uint64_t total = 0;
  std::vector<RawMatch> matches;  // the first `keep` of them
  std::uint64_t bytes_searched = 0;
  BlockId stopped_block =
      kNoBlock;  // where the first unsearched text begins; kNoBlock when all was searched
  std::uint32_t stopped_byte = 0;
};

// Adds the matches to `result`. Stops when the deadline passes, or before a piece that would take
// longer than the time left, and then notes the place.
void scan(const Pattern& pattern, const Block& block, const RunSearch& search,
          std::span<const Stretch> stretches, std::uint64_t keep, Deadline& deadline,
          ScanResult& result);

}  // namespace knarr
