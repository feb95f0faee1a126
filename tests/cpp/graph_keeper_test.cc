// The graph in the background: kept up, stopped, forked, read while it grows.
#include "vectors/graph/graph_keeper.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

#include "graph_rows.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong{600'000};

struct GraphKeeperTest : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GRAPH(); }
};

TEST_F(GraphKeeperTest, KeepsUpWithWhatIsAddedAndBeginsAnewWhenHalfIsGone) {
  VectorStore store = graph_store(2000);
  GraphKeeper keeper(1000);
  EXPECT_EQ(keeper.graph(), nullptr);
  keeper.follow(store.view(), RowSet::range(0, 2000));
  EXPECT_EQ(keeper.graph(), nullptr);  // not asked for
  keeper.enable(store.view(), RowSet::range(0, 2000));
  ASSERT_TRUE(keeper.wait(kLong));
  ASSERT_NE(keeper.graph(), nullptr);
  EXPECT_EQ(keeper.graph()->size(), 2000u);

  store.append(clusters(100, 2), 100);
  keeper.follow(store.view(), RowSet::range(0, 2100));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph()->rows_end(), 2000u);  // few: searches read them
  store.append(clusters(2500, 3), 2500);
  keeper.follow(store.view(), RowSet::range(0, 4600));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph()->rows_end(), 4600u);
  EXPECT_EQ(keeper.graph()->size(), 4600u);

  keeper.follow(store.view(), RowSet::range(3000, 4600));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph()->size(), 1600u);
  keeper.disable();
  EXPECT_EQ(keeper.graph(), nullptr);
  keeper.enable(store.view(), RowSet::range(0, 500));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph(), nullptr);  // too few
}

TEST_F(GraphKeeperTest, StopsAtOnce) {
  const VectorStore store = graph_store(20'000);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    GraphKeeper keeper(1);
    keeper.enable(store.view(), RowSet::range(0, 20'000));
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_FALSE(keeper.wait(milliseconds(0)));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(GraphKeeperTest, WhatCannotBeRestoredIsMade) {
  const VectorStore store = graph_store(2000);
  GraphKeeper keeper(1);
  int asked = 0;
  keeper.restore_with([&](const VectorView&, const RowSet&) {
    ++asked;
    return GraphPtr();
  });
  keeper.enable(store.view(), RowSet::range(0, 2000));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(keeper.graph()->size(), 2000u);
}

TEST_F(GraphKeeperTest, IsReadWhileItGrows) {
  VectorStore store = graph_store(3000);
  const auto queries = clusters(50, 1);
  GraphKeeper keeper(1000);
  keeper.enable(store.view(), RowSet::range(0, 3000));
  std::atomic<bool> done{false};
  const VectorView view = store.view();
  const RowSet allowed = one_in(2, 3000);
  const auto read = [&](unsigned seed) {
    for (unsigned i = seed; !done; i = (i + 7) % 50) {
      if (const GraphPtr graph = keeper.graph()) {
        const auto got =
            graph_search(*graph, view, allowed, &queries[i * kGraphDim], 10, PlanWish::kGraph);
        EXPECT_EQ(got.rows.size(), 10u);
      }
      std::this_thread::sleep_for(milliseconds(1));  // leaves the thread a core
    }
  };
  std::thread one(read, 1), two(read, 2);
  for (unsigned i = 0; i < 3; ++i) {
    store.append(clusters(2500, i + 5), 2500);
    keeper.follow(store.view(), RowSet::range(i, store.size()));
    EXPECT_TRUE(keeper.wait(kLong));
  }
  done = true;
  one.join();
  two.join();
  EXPECT_EQ(keeper.graph()->rows_end(), 10'500u);
}

#ifndef __SANITIZE_THREAD__
TEST_F(GraphKeeperTest, AChildProcessHasNoThreadAndWaitsForNone) {
  const VectorStore store = graph_store(20'000);
  GraphKeeper keeper(1);
  keeper.enable(store.view(), RowSet::range(0, 20'000));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_idle = keeper.wait(milliseconds(0));
    keeper.disable();
    _exit(is_idle ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

// Whatever the bytes are, what is read of them can be walked.
TEST_F(GraphKeeperTest, BytesOfAGraphAreNotBelieved) {
  const VectorStore store = graph_store(300);
  const RowSet all = RowSet::range(0, 300);
  const GraphPtr graph = Graph::grow(nullptr, store.view(), all, kNoStop);
  std::vector<std::byte> bytes;
  graph->links().write(
      [&](ByteSpan piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  ASSERT_NE(GraphLinks::read(bytes, 300), nullptr);
  EXPECT_EQ(GraphLinks::read(bytes, 299), nullptr);
  EXPECT_EQ(GraphLinks::read(ByteSpan(bytes).first(bytes.size() - 1), 300), nullptr);
  EXPECT_EQ(GraphLinks::read({}, 0), nullptr);
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bad = bytes;
    bad[i < 1000 ? static_cast<std::size_t>(i) : random() % bad.size()] ^=
        static_cast<std::byte>(1u << random() % 8);
    const auto links = GraphLinks::read(bad, 300);
    if (links == nullptr) continue;
    std::array<Slot, kMostLinks> to;
    for (Slot slot = 0; slot < 300; ++slot) {
      for (std::size_t level = 0; level <= links->level(slot); ++level) {
        const std::size_t n = links->links(slot, level, to.data());
        ASSERT_LE(n, kMostLinks);
        for (std::size_t j = 0; j < n; ++j) ASSERT_GE(links->level(to[j]), level);
      }
    }
  }
}

}  // namespace
}  // namespace knarr
