#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace knarr {
namespace {

// Helpers that may still be started, over all calls.
std::atomic<int>& spare_helpers() {
  static std::atomic<int> spare{static_cast<int>(max_workers()) - 1};
  return spare;
}

// Borrows helpers for the length of one call.
class Loan {
 public:
  explicit Loan(int wanted) {
    int spare = spare_helpers().load(std::memory_order_relaxed);
    do {
      count_ = std::clamp(wanted, 0, std::max(spare, 0));
    } while (count_ > 0 && !spare_helpers().compare_exchange_weak(spare, spare - count_,
                                                                  std::memory_order_relaxed));
  }
  ~Loan() { spare_helpers().fetch_add(count_, std::memory_order_relaxed); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  int count() const { return count_; }

 private:
  int count_ = 0;
};

// The failure of the lowest task, whatever the order in which threads met theirs.
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
  unsigned started = 0;
  if (useful > 1) {
    const Loan loan(static_cast<int>(useful) - 1);
    std::vector<std::jthread> helpers;  // joined at the end of this block
    helpers.reserve(static_cast<std::size_t>(loan.count()));
    try {
      for (int i = 0; i < loan.count(); ++i) {
        helpers.emplace_back(run, started + 1);
        ++started;
      }
    } catch (const std::system_error&) {
      // No more threads to be had: the ones that run, and this one, do the work.
    }
    run(0);
  } else {
    run(0);
  }
  error.rethrow();
  return started + 1;
}

}  // namespace knarr
