// ThreadPool: helper threads that sleep between calls, for loops of some hundred microseconds.
//
// Idea: the caller posts a job, works on it itself, and takes it back when it has finished. A
// helper that wakes up in between joins the job; one that wakes up later finds no job and sleeps
// on. The caller waits only for helpers that have joined, never for one that is still on its way.
//
// Invariant: a thread that asks for help always makes progress alone. So calls may run at the same
// time and nest to any depth without deadlock; each gets the helpers that are free, including those
// that become free while it runs.
//
// Cost: a sleeping helper joins within some microseconds, where starting and joining a thread costs
// tens. Helpers are started when first wanted, at most one for each core beside the caller. They
// stay until the process ends, with all signals blocked, and do not delay its exit.
//
// After fork() the child has one thread only; it starts a pool of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/function_ref.h"

namespace knarr {

class ThreadPool {
 public:
  // The pool of this process, with at most max_workers() - 1 helpers. It is never destroyed.
  static ThreadPool& shared();

  explicit ThreadPool(unsigned max_helpers) : max_helpers_(max_helpers) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls work(0) on this thread, and work(1), work(2), ..., at most work(wanted), on the helpers
  // that join before work(0) returns. Returns how many helpers joined, after all have finished.
  // `work` must not throw.
  unsigned help(unsigned wanted, FunctionRef<void(unsigned)> work);

 private:
  struct Job {
    FunctionRef<void(unsigned)> work;
    unsigned wanted;  // helpers that may still join
    unsigned joined = 0;
    std::atomic<unsigned> inside{0};  // written with the lock held
  };

  void start(unsigned wanted);
  void serve();
  void withdraw(Job& job);
  void wait_for(const Job& job);

  const unsigned max_helpers_;
  std::mutex mutex_;  // guards the members below, and each job
  std::condition_variable has_job_;
  std::condition_variable has_left_;
  std::vector<Job*> jobs_;  // jobs that want more helpers
  unsigned helpers_ = 0;
  unsigned idle_ = 0;
};

}  // namespace knarr
