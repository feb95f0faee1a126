// The graph in the background: it follows the rows, stops, survives a fork, is read while it grows.
#include "vectors/graph/graph_keeper.h"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/error.h"
#include "graph_rows.h"

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
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 2000));
  EXPECT_EQ(keeper.graph(), nullptr);  // not asked for
  keeper.enable();
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 2000));
  ASSERT_TRUE(keeper.wait(kLong));
  ASSERT_NE(keeper.graph(), nullptr);
  EXPECT_EQ(keeper.graph()->size(), 2000u);

  store.append(clusters(100, 2), 100);
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 2100));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph()->rows_end(), 2000u);  // few: searches read them
  store.append(clusters(2500, 3), 2500);
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 4600));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph()->rows_end(), 4600u);
  EXPECT_EQ(keeper.graph()->size(), 4600u);

  keeper.follow(rows_for_graph(store.view()), RowSet::range(3000, 4600));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph()->size(), 1600u);
  keeper.disable();
  EXPECT_EQ(keeper.graph(), nullptr);
  keeper.enable();
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 500));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph(), nullptr);  // too few
}

TEST_F(GraphKeeperTest, StopsAtOnce) {
  const VectorStore store = graph_store(20'000);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    GraphKeeper keeper(1);
    keeper.enable();
    keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 20'000));
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_FALSE(keeper.wait(milliseconds(0)));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(GraphKeeperTest, WhatCannotBeRestoredIsBuilt) {
  const VectorStore store = graph_store(2000);
  GraphKeeper keeper(1);
  int asked = 0;
  keeper.restore_with([&](const GraphRows&, const RowSet&) {
    ++asked;
    return GraphPtr();
  });
  keeper.enable();
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 2000));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(keeper.graph()->size(), 2000u);
}

TEST_F(GraphKeeperTest, ADamagedRowEndsTheBuildAndNothingElse) {
  const VectorStore store = graph_store(2000);
  GraphRows rows = rows_for_graph(store.view());
  rows.quantised_row = [good = rows.quantised_row](Row row) {
    if (row == 1500) fail(ErrorCode::kCorruption, "row 1500");
    return good(row);
  };
  GraphKeeper keeper(1);
  keeper.enable();
  keeper.follow(rows, RowSet::range(0, 2000));
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph(), nullptr);
}

TEST_F(GraphKeeperTest, ANewGenerationDropsTheGraphAndIsRestoredItself) {
  const VectorStore store = graph_store(2000);
  const GraphRows rows = rows_for_graph(store.view());
  const RowSet all = RowSet::range(0, 2000);
  GraphKeeper keeper(1);
  keeper.enable();
  keeper.follow(rows, all, 1);
  ASSERT_TRUE(keeper.wait(kLong));
  const GraphPtr first = keeper.graph(1);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(keeper.graph(2), nullptr);
  const GraphPtr other = build_graph(store, all);
  keeper.restore_with([&](const GraphRows&, const RowSet&) { return other; });
  keeper.follow(rows, all, 2);
  EXPECT_EQ(keeper.graph(1), nullptr);
  ASSERT_TRUE(keeper.wait(kLong));
  EXPECT_EQ(keeper.graph(2), other);
}

TEST_F(GraphKeeperTest, IsReadWhileItGrows) {
  VectorStore store = graph_store(3000);
  const auto queries = clusters(50, 1);
  GraphKeeper keeper(1000);
  keeper.enable();
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 3000));
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
    keeper.follow(rows_for_graph(store.view()), RowSet::range(i, store.size()));
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
  keeper.enable();
  keeper.follow(rows_for_graph(store.view()), RowSet::range(0, 20'000));
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

}  // namespace
}  // namespace knarr
