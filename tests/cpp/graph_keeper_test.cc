// The graph in the background: beside readers and writers, stopped, forked, and kept in a file.
#include "vectors/graph_keeper.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/error.h"
#include "engine/engine.h"
#include "graph_rows.h"
#include "vectors/graph_codec.h"

namespace knarr {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong{120'000};

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

// --- In an engine --------------------------------------------------------------------------------

constexpr std::size_t kObjects = 21'000;

std::string uri_of(std::size_t i) {
  return "viking://folder" + std::to_string(i % 3) + "/doc" + std::to_string(i / 100) + "/" +
         std::to_string(i);
}

void fill(Engine& engine, std::size_t begin, std::size_t end, unsigned seed) {
  const std::vector<float> values = clusters(end - begin, seed);
  std::vector<std::string> uris;
  for (std::size_t i = begin; i < end; ++i) uris.push_back(uri_of(i));
  const std::vector<std::string_view> views(uris.begin(), uris.end());
  Objects objects;
  objects.uris = views;
  objects.vectors = values;
  engine.add(objects);
}

Hits ask(const Engine& engine, const float* query, PlanWish plan, std::string_view scope) {
  SearchOptions options;
  options.scope = scope;
  options.how.plan = plan;
  options.how.recall_target = 0.9;
  return engine.search({query, kGraphDim}, options);
}

TEST_F(GraphKeeperTest, AnEngineKeepsOneWhileItIsReadAndWritten) {
  Engine engine(kGraphDim);
  const auto queries = clusters(200, 1);
  EXPECT_THROW(ask(engine, queries.data(), PlanWish::kGraph, kScheme), Error);
  engine.keep_graph(true);
  fill(engine, 0, kObjects, 1);
  std::atomic<bool> done{false};
  const auto read = [&](unsigned seed) {
    for (unsigned i = seed; !done; i = (i + 7) % 200) {
      const Hits hits = ask(engine, queries.data() + i * kGraphDim, PlanWish::kGraph, kScheme);
      EXPECT_EQ(hits.size(), 10u);
      for (std::size_t j = 0; j < hits.size(); ++j) EXPECT_NE(hits.uri(j), "");
      std::this_thread::sleep_for(milliseconds(2));  // leaves the thread a core
    }
  };
  std::thread one(read, 1), two(read, 2);
  engine.remove("viking://folder0/doc7");
  engine.move("viking://folder1", "viking://other");
  fill(engine, kObjects, kObjects + 500, 9);
  engine.remove("viking://other/doc9");
  fill(engine, kObjects + 500, kObjects + 3500, 10);
  EXPECT_TRUE(engine.wait_for_graph(kLong));
  done = true;
  one.join();
  two.join();
  const Hits all = ask(engine, queries.data(), PlanWish::kGraph, kScheme);
  EXPECT_EQ(all.plan, "graph");
  EXPECT_GT(engine.stats().graph_rows, kObjects);
  const Hits exact = ask(engine, queries.data(), PlanWish::kExact, kScheme);
  EXPECT_EQ(all.rows[0].row, exact.rows[0].row);
  const Hits moved = ask(engine, queries.data(), PlanWish::kGraph, "viking://other");
  EXPECT_EQ(moved.size(), 10u);
  engine.keep_graph(false);
  EXPECT_THROW(ask(engine, queries.data(), PlanWish::kGraph, kScheme), Error);
  EXPECT_EQ(engine.stats().graph_rows, 0u);
}

TEST_F(GraphKeeperTest, ASnapshotBringsItsGraphAlong) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("graph" + std::to_string(getpid()))).string();
  const auto queries = clusters(200, 1);
  {
    Engine engine(kGraphDim);
    engine.keep_graph(true);
    fill(engine, 0, kObjects, 1);
    ASSERT_TRUE(engine.wait_for_graph(kLong));
    for (int doc = 0; doc < 5; ++doc) {
      engine.remove("viking://folder0/doc" + std::to_string(doc));  // rows that the file leaves out
    }
    engine.save(path);
  }
  const auto engine = Engine::load(path);
  EXPECT_FALSE(engine->keeps_graph());
  const auto begin = std::chrono::steady_clock::now();
  engine->keep_graph(true);
  ASSERT_TRUE(engine->wait_for_graph(kLong));
  EXPECT_EQ(engine->stats().graph_rows, kObjects);  // restored: a new one would hold fewer
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  int equal = 0;
  for (unsigned i = 0; i < 50; ++i) {
    const float* query = queries.data() + i * kGraphDim;
    const Hits got = ask(*engine, query, PlanWish::kGraph, kScheme);
    const Hits exact = ask(*engine, query, PlanWish::kExact, kScheme);
    EXPECT_EQ(got.plan, "graph");
    ASSERT_EQ(got.size(), 10u);
    for (std::size_t j = 0; j < 10; ++j) equal += got.rows[j].row == exact.rows[j].row;
  }
  EXPECT_GE(equal, 490);
  fill(*engine, kObjects, kObjects + 3000, 4);  // and it grows on
  ASSERT_TRUE(engine->wait_for_graph(kLong));
  EXPECT_EQ(engine->stats().graph_rows, kObjects + 3000);
  std::filesystem::remove(path);
}

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
