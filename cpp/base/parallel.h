// parallel_for: one parallel loop, for work that is long enough to pay for threads.
//
// Helpers sleep between calls (thread_pool.h) and join within about ten microseconds, so callers
// give each worker at least fifty microseconds of work. All calls of the process share the helpers:
// when many callers run at once, each gets few or none, and the machine is not oversubscribed.
// Where other libraries of the process keep threads busy, such as an embedding model, the
// environment variable KNARR_THREADS, read once, bounds the engine's threads; 1 leaves only the
// callers' own.
#pragma once

#include <cstddef>

#include "base/function_ref.h"

namespace knarr {

// The most workers one call may get, its caller included: the cores this process may use, or
// KNARR_THREADS when that is less.
unsigned max_workers();

// Calls work(worker, task) once for each task in [0, tasks), by at most `workers` threads, the
// calling one among them. worker < workers tells threads apart, so that each may keep its own
// results; tasks start in ascending order. After an exception no new task starts, and the exception
// of the lowest task that failed is rethrown here. Returns how many workers took part.
unsigned parallel_for(std::size_t tasks, unsigned workers,
                      FunctionRef<void(unsigned worker, std::size_t task)> work);

}  // namespace knarr
