// GraphKeeper: an engine's graph, made and grown in the background.
//
// It is off until it is asked for: a graph of a million rows takes minutes to make. While it is on,
// one thread at a time makes a graph of the rows that there are, lends it to readers, and comes
// back when enough rows have been added or enough of it is gone. Between these times rows are added
// and removed without it: a search reads what is not in the graph by itself, and a row that is gone
// is no row that a filter allows.
//
// The thread exists only while there is something to do. It works on copies of views, so that it
// holds no lock that a reader or writer waits for longer than it takes to copy a pointer, and at
// low priority where the system knows that for a thread. It looks every row whether it is to stop.
// After fork() the child has the graph but not the thread, and starts one when it next writes.
//
// Threads: enable, disable, restore_with and follow belong to the writer; graph and wait may be
// called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "filter/rows.h"
#include "vectors/graph/graph.h"
#include "vectors/store.h"

namespace knarr {

// Below so many live rows no graph is made: a scan of them is as fast.
inline constexpr std::uint64_t kLeastGraphRows = 20'000;

class GraphKeeper {
 public:
  explicit GraphKeeper(std::uint64_t least_rows = kLeastGraphRows);
  ~GraphKeeper();
  GraphKeeper(const GraphKeeper&) = delete;
  GraphKeeper& operator=(const GraphKeeper&) = delete;

  // From now on, or no longer. Throws kUnsupported where the build has no graph. disable() waits
  // for the thread, which stops within a row, and drops the graph.
  void enable(const VectorView& view, const RowSet& live, std::uint64_t generation = 0);
  void disable();
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  // Says what there is now: the writer's duty after each publish. A generation other than before
  // says that rows have other numbers: the graph of the old ones goes.
  void follow(const VectorView& view, const RowSet& live, std::uint64_t generation = 0);

  // How to get the first graph without making it, from a snapshot say; null when it cannot be.
  // Called once, by the thread, with what there is then. Must come before enable(), or before the
  // follow() that brings a new generation.
  using Restore = std::function<GraphPtr(const VectorView& view, const RowSet& live)>;
  void restore_with(Restore restore);

  // Null while there is none of this generation.
  GraphPtr graph(std::uint64_t generation = 0) const;

  // Waits until there is nothing to do; false when that takes longer.
  bool wait(std::chrono::milliseconds most) const;

 private:
  // What the thread and the keeper share. The child of a fork may find it locked for ever, and so
  // leaves it alone.
  struct Job;

  Job* own_job() const;  // null in a child of the process that made it
  void forget_job();

  const std::uint64_t least_rows_;
  std::atomic<bool> is_on_{false};
  std::atomic<Job*> job_;
};

}  // namespace knarr
