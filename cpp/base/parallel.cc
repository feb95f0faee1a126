#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "base/thread_pool.h"

namespace knarr {
namespace {

// The exception of the lowest task that failed, whichever thread failed first.
class FirstError {
 public:
  void keep(std::size_t task, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_ || task < task_) {
      task_ = task;
      error_ = std::move(error);
    }
  }
  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::size_t task_ = 0;
  std::exception_ptr error_;
};

}  // namespace

unsigned max_workers() {
  static const unsigned most = [] {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const char* wish = std::getenv("KNARR_THREADS");
    const long threads = wish == nullptr ? 0 : std::strtol(wish, nullptr, 10);
    return threads < 1 ? cores : static_cast<unsigned>(std::min<long>(threads, cores));
  }();
  return most;
}

unsigned parallel_for(std::size_t tasks, unsigned workers,
                      FunctionRef<void(unsigned worker, std::size_t task)> work) {
  std::atomic<std::size_t> next{0};
  FirstError error;
  const auto run = [&](unsigned worker) {
    for (;;) {
      const std::size_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks) return;
      try {
        work(worker, task);
      } catch (...) {
        next.store(tasks, std::memory_order_relaxed);
        error.keep(task, std::current_exception());
      }
    }
  };

  const std::size_t useful = std::min<std::size_t>({workers, tasks, max_workers()});
  unsigned joined = 0;
  if (useful > 1) {
    joined = ThreadPool::shared().help(static_cast<unsigned>(useful) - 1, run);
  } else {
    run(0);
  }
  error.rethrow();
  return joined + 1;
}

}  // namespace knarr
