// GraphKeeper: builds an engine's graph in the background, and grows it as rows are added.
//
// It is off until it is enabled, since a graph of a million rows takes minutes to build. While it
// is on, a thread builds a graph of the rows there are and publishes it, and builds again when many
// rows have been added since, or more than half of its rows have been removed. Between builds,
// searches score the added rows themselves and filter the removed ones out.
//
// The thread exists only while there is something to build. It works on copies of views, so the
// lock is held for as long as it takes to copy a few pointers; it has a low priority where the
// system knows that for a thread, and looks at every row whether it should stop. After fork() the
// child has no thread and no graph, and begins a new one with its next follow().
//
// Threads: enable, disable, restore_with and follow belong to the writer; is_on, graph and wait may
// be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "filter/rows.h"
#include "vectors/graph/graph.h"

namespace knarr {

// Below so many live rows no graph is built: a scan of them is as fast.
inline constexpr std::uint64_t kLeastGraphRows = 20'000;

// A graph is grown when it lacks more than 2048 live rows and more than a 64th of its size.
inline constexpr std::uint64_t kMostRowsOutside = 2048;
inline constexpr std::uint64_t kMostShareOutside = 64;

class GraphKeeper {
 public:
  explicit GraphKeeper(std::uint64_t least_rows = kLeastGraphRows);
  ~GraphKeeper();
  GraphKeeper(const GraphKeeper&) = delete;
  GraphKeeper& operator=(const GraphKeeper&) = delete;

  // A graph is kept from the next follow() on. Throws kUnsupported where the build has none.
  void enable();
  // Waits for the thread, which stops within a row, and drops the graph.
  void disable();
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  // Says which rows there are: after enable(), and after each publish. Another generation than
  // before means that rows have other numbers, so the graph of the old ones is dropped.
  void follow(const GraphRows& rows, const RowSet& live, std::uint64_t generation = 0);

  // How to get the first graph of the rows of the next follow() without building it, from a
  // snapshot; null when that fails. The thread calls it once. Drops the graph there is.
  using Restore = std::function<GraphPtr(const GraphRows& rows, const RowSet& live)>;
  void restore_with(Restore restore);

  // Null while there is none of this generation.
  GraphPtr graph(std::uint64_t generation = 0) const;

  // Waits until there is nothing to build; false when that takes longer.
  bool wait(std::chrono::milliseconds most) const;

 private:
  // What the thread and the keeper share. A child process may find its parent's locked for ever,
  // and so neither uses nor frees it.
  struct Job;

  Job* own_job() const;  // null in a child of the process that made it

  const std::uint64_t least_rows_;
  std::atomic<bool> is_on_{false};
  std::atomic<Job*> job_;
};

}  // namespace knarr
