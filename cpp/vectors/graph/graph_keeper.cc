#include "vectors/graph/graph_keeper.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"

#ifdef __linux__
#include <sys/resource.h>
#endif

namespace knarr {

struct GraphKeeper::Job {
  explicit Job(std::uint64_t least) : least_rows(least) {}

  // Whether to build, and on what: null for a new graph. Requires mutex.
  bool needs_build(GraphPtr& base) const;
  void run();
  void clear();

  const std::uint64_t least_rows;
  const pid_t process = ::getpid();
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable idle;
  GraphPtr graph;
  GraphRows rows;
  RowSet live;
  std::uint64_t generation = 0;  // of the graph and of the rows
  Restore restore;
  bool is_running = false;
  std::thread thread;
};

GraphKeeper::GraphKeeper(std::uint64_t least_rows)
    : least_rows_(least_rows), job_(new Job(least_rows)) {}

GraphKeeper::~GraphKeeper() {
  Job* job = own_job();
  if (job == nullptr) return;
  job->clear();
  delete job;
}

GraphKeeper::Job* GraphKeeper::own_job() const {
  Job* job = job_.load(std::memory_order_acquire);
  return job->process == ::getpid() ? job : nullptr;
}

void GraphKeeper::enable() {
  if (!Graph::is_built_in()) Graph::build(nullptr, {}, {}, false);  // throws
  is_on_ = true;
}

void GraphKeeper::disable() {
  is_on_ = false;
  if (Job* job = own_job()) job->clear();
}

void GraphKeeper::Job::clear() {
  stop = true;
  if (thread.joinable()) thread.join();
  GraphPtr dropped;  // is freed after the lock
  const std::lock_guard lock(mutex);
  graph.swap(dropped);
  rows = {};
  live = {};
  stop = false;
}

void GraphKeeper::restore_with(Restore restore) {
  Job* job = own_job();
  if (job == nullptr) return;
  job->clear();
  const std::lock_guard lock(job->mutex);
  job->restore = std::move(restore);
}

void GraphKeeper::follow(const GraphRows& rows, const RowSet& live, std::uint64_t generation) {
  if (!is_on()) return;
  if (own_job() == nullptr) job_ = new Job(least_rows_);
  Job* job = job_;
  if (job->generation != generation) job->clear();
  {
    const std::lock_guard lock(job->mutex);
    job->generation = generation;
    job->rows = rows;
    job->live = live;
    GraphPtr base;
    if (job->is_running || !job->needs_build(base)) return;
    job->is_running = true;
  }
  if (job->thread.joinable()) job->thread.join();  // it has ended
  try {
    job->thread = std::thread([job] { job->run(); });
  } catch (const std::system_error&) {  // the system has no thread now: the next write asks again
    const std::lock_guard lock(job->mutex);
    job->is_running = false;
    job->idle.notify_all();
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

bool GraphKeeper::Job::needs_build(GraphPtr& base) const {
  if (stop || live.size() < least_rows) return false;
  if (graph == nullptr || graph->size() > 2 * live.size()) return true;
  base = graph;
  const RowSet outside = live & RowSet::range(graph->rows_end(), rows.end);
  return outside.size() > std::max(kMostRowsOutside, graph->size() / kMostShareOutside);
}

void GraphKeeper::Job::run() {
#ifdef __linux__
  constexpr int kNiceness = 5;
  (void)setpriority(PRIO_PROCESS, 0, kNiceness);  // of this thread; a refusal changes nothing
#endif
  for (GraphPtr built;;) {
    GraphPtr base;
    GraphRows of;
    RowSet live_of;
    Restore restoring;
    {
      const std::lock_guard lock(mutex);
      if (built != nullptr) graph.swap(built);
      is_running = needs_build(base);
      idle.notify_all();
      if (!is_running) return;
      of = rows;
      live_of = live;
      restoring.swap(restore);
    }
    built = nullptr;
    try {
      if (restoring) built = restoring(of, live_of);
      if (built == nullptr) built = Graph::build(base.get(), of, live_of, stop);
    } catch (const std::exception&) {  // no memory, or a damaged row: as it would be next time
      stop = true;
    }
  }
}

}  // namespace knarr
