#include "vectors/graph/graph_keeper.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#ifdef __linux__
#include <sys/resource.h>
#endif

namespace knarr {
namespace {

// A graph is grown when more than one in so many rows, and at least so many, are not in it.
constexpr std::uint64_t kMostOutside = 64;
constexpr std::uint64_t kLeastOutside = 2048;
constexpr int kNiceness = 5;
constexpr std::chrono::milliseconds kPause{1};

// How many forks lie between the first process and this one.
std::atomic<unsigned>& forks() {
  static std::atomic<unsigned> count{0};
#if defined(__unix__) || defined(__APPLE__)
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });
  (void)registered;
#endif
  return count;
}

void give_way() {
#ifdef __linux__
  (void)setpriority(PRIO_PROCESS, 0, kNiceness);  // of this thread; refusal changes nothing
#endif
}

enum class Need : std::uint8_t { kNothing, kRestore, kNew, kMore };

struct Wanted {
  VectorView view;
  RowSet live;
};

}  // namespace

struct GraphKeeper::Job {
  Job(std::uint64_t least, unsigned made_in) : least_rows(least), process(made_in) {}

  Need need() const;  // requires mutex
  void run();
  GraphPtr make(Need now, const GraphPtr& from, const Wanted& what) const;
  void clear();

  const std::uint64_t least_rows;
  const unsigned process;  // as forks() counts
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable idle;
  GraphPtr graph;
  Wanted wanted;
  std::uint64_t generation = 0;  // of the graph and of what is wanted
  Restore restore;
  bool is_running = false;
  std::thread thread;
};

GraphKeeper::GraphKeeper(std::uint64_t least_rows)
    : least_rows_(least_rows), job_(new Job(least_rows, forks())) {}

GraphKeeper::~GraphKeeper() { forget_job(); }

GraphKeeper::Job* GraphKeeper::own_job() const {
  Job* job = job_.load(std::memory_order_acquire);
  return job != nullptr && job->process == forks() ? job : nullptr;
}

// Another process's job is not freed: its thread is not there to be joined.
void GraphKeeper::forget_job() {
  Job* job = own_job();
  job_ = nullptr;
  if (job == nullptr) return;
  job->stop = true;
  if (job->thread.joinable()) job->thread.join();
  delete job;
}

void GraphKeeper::enable(const VectorView& view, const RowSet& live, std::uint64_t generation) {
  if (!GraphLinks::is_built_in()) GraphLinks();  // throws
  is_on_ = true;
  follow(view, live, generation);
}

void GraphKeeper::disable() {
  is_on_ = false;
  if (Job* job = own_job()) job->clear();
}

void GraphKeeper::Job::clear() {
  stop = true;
  if (thread.joinable()) thread.join();
  GraphPtr last;  // goes after the lock
  const std::lock_guard lock(mutex);
  graph.swap(last);
  wanted = {};
  stop = false;
}

void GraphKeeper::restore_with(Restore restore) {
  Job* job = own_job();
  if (job == nullptr) return;
  const std::lock_guard lock(job->mutex);
  job->restore = std::move(restore);
}

void GraphKeeper::follow(const VectorView& view, const RowSet& live, std::uint64_t generation) {
  if (!is_on() || !view.has_quantised_rows()) return;
  if (own_job() == nullptr) job_ = new Job(least_rows_, forks());
  Job* job = job_;
  if (job->generation != generation) job->clear();
  {
    const std::lock_guard lock(job->mutex);
    job->generation = generation;
    job->wanted = {view, live};
    if (job->is_running || job->need() == Need::kNothing) return;
    job->is_running = true;
  }
  if (job->thread.joinable()) job->thread.join();  // it has ended
  try {
    job->thread = std::thread([job] { job->run(); });
  } catch (const std::system_error&) {  // no thread to be had now: the next write asks again
    const std::lock_guard lock(job->mutex);
    job->is_running = false;
  }
}

GraphPtr GraphKeeper::graph(std::uint64_t generation) const {
  Job* job = is_on() ? own_job() : nullptr;
  if (job == nullptr) return nullptr;
  const std::lock_guard lock(job->mutex);
  return job->generation == generation ? job->graph : nullptr;
}

bool GraphKeeper::wait(std::chrono::milliseconds most) const {
  Job* job = own_job();
  if (job == nullptr) return true;
  std::unique_lock lock(job->mutex);
  return job->idle.wait_for(lock, most, [job] { return !job->is_running; });
}

Need GraphKeeper::Job::need() const {
  const std::uint64_t live = wanted.live.size();
  if (stop || live < least_rows) return Need::kNothing;
  if (graph == nullptr) return restore ? Need::kRestore : Need::kNew;
  if (graph->size() > 2 * live) return Need::kNew;
  const Row end = wanted.view.size();
  const std::uint64_t most = std::max<std::uint64_t>(kLeastOutside, graph->size() / kMostOutside);
  if (end <= graph->rows_end() || end - graph->rows_end() <= most) return Need::kNothing;
  const RowSet outside = wanted.live & RowSet::range(graph->rows_end(), end);
  return outside.size() > most ? Need::kMore : Need::kNothing;
}

void GraphKeeper::Job::run() {
  give_way();
  for (;;) {
    Wanted what;
    GraphPtr from;
    Need now = Need::kNothing;
    {
      const std::lock_guard lock(mutex);
      now = need();
      if (now == Need::kNothing) {
        is_running = false;
        idle.notify_all();
        return;
      }
      what = wanted;
      from = graph;
    }
    const GraphPtr made = make(now, from, what);
    {
      const std::lock_guard lock(mutex);
      if (now == Need::kRestore) restore = nullptr;
      if (made != nullptr) graph = made;
      if (made == nullptr && now != Need::kRestore) stop = true;  // it was, or there is no memory
    }
    // To free the old graph takes a while: not by the reader that happens to be its last.
    while (made != nullptr && from.use_count() > 1 && !stop) std::this_thread::sleep_for(kPause);
  }
}

GraphPtr GraphKeeper::Job::make(Need now, const GraphPtr& from, const Wanted& what) const try {
  if (now == Need::kRestore) return restore(what.view, what.live);
  return Graph::grow(now == Need::kMore ? from.get() : nullptr, what.view, what.live, stop);
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace knarr
