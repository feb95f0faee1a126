// The graph of an engine: beside readers and writers, and in a snapshot.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "base/error.h"
#include "engine/engine.h"
#include "graph_rows.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong{600'000};

struct EngineGraphTest : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GRAPH(); }
};

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

TEST_F(EngineGraphTest, AnEngineKeepsOneWhileItIsReadAndWritten) {
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

// Of 50 queries the graph finds nearly all that the exact plan finds.
void expect_found(const Engine& engine) {
  const auto queries = clusters(200, 1);
  int equal = 0;
  for (unsigned i = 0; i < 50; ++i) {
    const float* query = queries.data() + i * kGraphDim;
    const Hits got = ask(engine, query, PlanWish::kGraph, kScheme);
    const Hits exact = ask(engine, query, PlanWish::kExact, kScheme);
    EXPECT_EQ(got.plan, "graph");
    ASSERT_EQ(got.size(), 10u);
    for (std::size_t j = 0; j < 10; ++j) equal += got.rows[j].row == exact.rows[j].row;
  }
  EXPECT_GE(equal, 490);
}

// A file takes the graph along when it leaves no row out. A compaction, and a file without the rows
// that went, give rows other numbers: a new graph is built. One test, since a graph takes long to
// make under sanitizers.
TEST_F(EngineGraphTest, AFileTakesTheGraphAlongUnlessRowsGetOtherNumbers) {
  const auto directory = std::filesystem::temp_directory_path();
  const std::string path = (directory / ("graph" + std::to_string(getpid()))).string();
  const std::string other_path = path + "_other";
  std::uint64_t left = 0;
  {
    Engine engine(kGraphDim);
    engine.keep_graph(true);
    fill(engine, 0, kObjects, 1);
    ASSERT_TRUE(engine.wait_for_graph(kLong));
    engine.save(path);
    for (int doc = 0; doc < 8; ++doc) engine.remove("viking://folder0/doc" + std::to_string(doc));
    left = engine.stats().objects;
    engine.save(other_path);
    EXPECT_EQ(engine.graph_rows(), kObjects);
    ASSERT_TRUE(engine.compact(0).has_value());
    const auto queries = clusters(1, 1);
    EXPECT_EQ(ask(engine, queries.data(), PlanWish::kGraph, kScheme).size(), 10u);  // ready or not
    ASSERT_TRUE(engine.wait_for_graph(kLong));
    EXPECT_EQ(engine.graph_rows(), left);
    expect_found(engine);
  }
  EXPECT_TRUE(Snapshot::open(path, Snapshot::Check::kNow)->has("engine.graph"));
  EXPECT_FALSE(Snapshot::open(other_path, Snapshot::Check::kNow)->has("engine.graph"));
  std::filesystem::remove(other_path);
  const auto engine = Engine::load(path);
  std::filesystem::remove(path);
  EXPECT_FALSE(engine->keeps_graph());
  for (int doc = 0; doc < 8; ++doc) engine->remove("viking://folder0/doc" + std::to_string(doc));
  const auto begin = std::chrono::steady_clock::now();
  engine->keep_graph(true);
  ASSERT_TRUE(engine->wait_for_graph(kLong));
  EXPECT_EQ(engine->stats().graph_rows, kObjects);  // restored: a new one would hold fewer
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  expect_found(*engine);
  fill(*engine, kObjects, kObjects + 3000, 4);  // and it grows on
  ASSERT_TRUE(engine->wait_for_graph(kLong));
  EXPECT_EQ(engine->stats().graph_rows, kObjects + 3000);
}

}  // namespace
}  // namespace knarr
