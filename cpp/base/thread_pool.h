// Helper threads that wait for work between calls.
//
// A helper that waits comes within some microseconds; starting a thread and joining it costs tens.
// Helpers are started when they are first wanted, never more than the process has cores for beside
// the caller, and stay: asleep, with all signals blocked, and in nobody's way at exit. Whoever
// wants help works too and never waits for a helper that has not come, so calls may meet and nest
// without end: each gets the helpers that are free, also those that become free meanwhile.
//
// After fork() a child has no threads but one: it starts a pool of its own.
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
  static ThreadPool& here();

  explicit ThreadPool(unsigned most) : most_(most) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls work(0) on this thread, and work(1), work(2), ... up to work(wanted) on as many helpers
  // as come before work(0) returns; returns after all of them, how many came. `work` must not
  // throw.
  unsigned help(unsigned wanted, FunctionRef<void(unsigned)> work);

 private:
  struct Job {
    FunctionRef<void(unsigned)> work;
    unsigned wanted;  // that have not come
    unsigned came = 0;
    std::atomic<unsigned> inside{0};  // written with the lock held
  };

  void start(unsigned wanted);
  void live();
  void withdraw(Job& job);
  void wait_for(const Job& job);

  const unsigned most_;
  std::mutex mutex_;  // guards what follows, and each job
  std::condition_variable has_job_;
  std::condition_variable is_left_;
  std::vector<Job*> jobs_;  // that want more helpers
  unsigned helpers_ = 0;
  unsigned idle_ = 0;
};

}  // namespace knarr
