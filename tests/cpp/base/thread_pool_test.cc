#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "base/parallel.h"

namespace knarr {
namespace {

// Waits until `ready`, so that helpers have time to join; gives up after a while.
void wait_until(const std::function<bool()>& ready) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

TEST(ThreadPool, AsManyJoinAsAreWanted) {
  ThreadPool& pool = *new ThreadPool(3);  // helpers never end, so the pool must not either
  for (const unsigned wanted : {0u, 1u, 2u, 3u, 3u, 1u}) {
    std::array<std::atomic<int>, 4> calls{};
    std::atomic<unsigned> here{0};
    const unsigned joined = pool.help(wanted, [&](unsigned number) {
      ++calls[number];
      ++here;
      if (number == 0) wait_until([&] { return here == wanted + 1; });
    });
    EXPECT_EQ(joined, wanted);
    for (unsigned i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], i <= wanted ? 1 : 0);
  }
}

TEST(ThreadPool, NoMoreJoinThanThereAre) {
  ThreadPool& pool = *new ThreadPool(2);
  std::atomic<unsigned> most{0};
  pool.help(10, [&](unsigned number) {
    for (unsigned seen = most; seen < number && !most.compare_exchange_weak(seen, number);) {
    }
  });
  EXPECT_LE(most, 2u);
  EXPECT_EQ(ThreadPool(0).help(5, [](unsigned number) { EXPECT_EQ(number, 0u); }), 0u);
}

// A helper that is still inside uses what the caller owns, so the caller must not return before it.
TEST(ThreadPool, NobodyIsLeftInside) {
  ThreadPool& pool = *new ThreadPool(2);
  for (int trial = 0; trial < 2000; ++trial) {
    std::atomic<int> inside{0};
    pool.help(2, [&](unsigned number) {
      ++inside;
      if (number != 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(trial % 64));
      }
      --inside;
    });
    ASSERT_EQ(inside, 0);
  }
}

TEST(ThreadPool, CallsMeetAndNest) {
  ThreadPool& pool = *new ThreadPool(2);
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int trial = 0; trial < 200; ++trial) {
        pool.help(2, [&](unsigned number) {
          if (number != 0) return;
          pool.help(2, [&](unsigned inner) { done += inner == 0 ? 1 : 0; });
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 6 * 200);
}

std::size_t sum_by(unsigned workers) {
  std::atomic<std::size_t> sum{0};
  parallel_for(100, workers, [&](unsigned, std::size_t task) { sum += task; });
  return sum;
}

#if !defined(__SANITIZE_THREAD__)
// A child process has none of its parent's helpers, and must not wait for them.
TEST(ThreadPool, AChildHasAPoolOfItsOwn) {
  ASSERT_EQ(sum_by(8), 4950u);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    _exit(sum_by(8) == 4950 && sum_by(8) == 4950 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

}  // namespace
}  // namespace knarr
