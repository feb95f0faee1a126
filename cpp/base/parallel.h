// One parallel loop, for work that is long enough to pay for threads.
//
// Helpers wait between calls (pool.h) and come within some ten microseconds, hence callers give
// each some fifty microseconds of work or more. All calls of the process share the helpers: when
// many callers come at once each gets few or none, and the machine is not asked for more than it
// has. Where other libraries of the process keep threads busy (a model that embeds, say), the
// environment variable KNARR_THREADS, read once, bounds the engine's: 1 leaves it the callers'
// threads only.
#pragma once

#include <cstddef>

#include "base/function_ref.h"

namespace knarr {

// The most workers one call may get, its caller included: the cores this process may use, or
// KNARR_THREADS when that is less.
unsigned max_workers();

// Calls work(worker, task) once for each task in [0, tasks), by at most `workers` threads, the
// calling one among them. worker < workers tells threads apart, so that each may keep its own
// results; tasks are taken in ascending order. After an exception no new task is taken, and the
// one of the lowest task that failed is rethrown here. Returns how many workers took part.
unsigned parallel_for(std::size_t tasks, unsigned workers,
                      FunctionRef<void(unsigned worker, std::size_t task)> work);

}  // namespace knarr
