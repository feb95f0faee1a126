#include "base/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>
#include <thread>

#include "base/parallel.h"

namespace knarr {
namespace {

// How often a caller polls its job before it sleeps: about ten microseconds.
constexpr int kPolls = 300;

std::atomic<ThreadPool*>& pool() {
  static std::atomic<ThreadPool*> pool{nullptr};
  return pool;
}

ThreadPool* make_pool() { return new ThreadPool(max_workers() - 1); }

// A child process has no helpers, and a thread that no longer exists may hold the old pool's lock.
// So the old pool is leaked and a new one takes its place.
void after_fork() { pool().store(make_pool()); }

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Threads that are started while this lives block all signals, which are for the program's own
// threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

ThreadPool& ThreadPool::shared() {
  static const bool is_ready = [] {
    pool().store(make_pool());
    return pthread_atfork(nullptr, nullptr, after_fork) == 0;
  }();
  (void)is_ready;
  return *pool().load();
}

unsigned ThreadPool::help(unsigned wanted, FunctionRef<void(unsigned)> work) {
  wanted = std::min(wanted, max_helpers_);
  if (wanted == 0) {
    work(0);
    return 0;
  }
  Job job{work, wanted};
  {
    const std::lock_guard lock(mutex_);
    start(wanted);
    jobs_.push_back(&job);
  }
  for (unsigned i = 0; i < wanted; ++i) has_job_.notify_one();
  work(0);
  withdraw(job);
  wait_for(job);
  return job.joined;
}

// Starts helpers, where fewer are idle than wanted. When the system refuses another thread, the
// existing ones do the work.
void ThreadPool::start(unsigned wanted) {
  const NoSignals guard;
  try {
    for (unsigned i = idle_; i < wanted && helpers_ < max_helpers_; ++i) {
      std::thread([this] { serve(); }).detach();
      ++helpers_;
    }
  } catch (const std::system_error&) {
  }
}

void ThreadPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    has_job_.wait(lock, [this] { return !jobs_.empty(); });
    --idle_;
    Job& job = *jobs_.front();
    const unsigned number = ++job.joined;
    job.inside.fetch_add(1, std::memory_order_relaxed);
    if (--job.wanted == 0) jobs_.erase(jobs_.begin());
    lock.unlock();
    job.work(number);
    lock.lock();
    // From here on the caller may return, which ends the life of the job.
    job.inside.fetch_sub(1, std::memory_order_release);
    has_left_.notify_all();
  }
}

void ThreadPool::withdraw(Job& job) {
  const std::lock_guard lock(mutex_);
  std::erase(jobs_, &job);
}

void ThreadPool::wait_for(const Job& job) {
  for (int i = 0; i < kPolls; ++i, pause()) {
    if (job.inside.load(std::memory_order_acquire) == 0) return;
  }
  std::unique_lock lock(mutex_);
  has_left_.wait(lock, [&job] { return job.inside.load(std::memory_order_acquire) == 0; });
}

}  // namespace knarr
