// Snapshots whose checksums are right and whose content is not: each is refused by name.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/error.h"
#include "engine/engine.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

constexpr std::size_t kDim = 4;
const std::vector<std::string> kSections = {
    "engine.nodes", "engine.names", "engine.rows",     "engine.previews", "engine.vectors",
    "text.bytes",   "text.blocks",  "edges.questions", "edges.episodes",  "edges.links"};
using Bytes = std::map<std::string, std::string>;  // of sections

struct Node {
  NodeId id;
  NodeId parent;
  Row row;
  std::string name;
};

Bytes nodes(NodeId next_id, const std::vector<Node>& list) {
  Encoder out;
  std::string names;
  out.u32(next_id);
  out.u32(0);
  out.u64(list.size());
  for (const Node& node : list) {
    out.u32(node.id);
    out.u32(node.parent);
    out.u32(node.row);
    out.u32(static_cast<std::uint32_t>(node.name.size()));
    names += node.name;
  }
  return {{"engine.nodes", out.bytes()}, {"engine.names", names}};
}

Bytes rows(std::uint32_t dim, std::uint64_t count, const std::vector<NodeId>& documents,
           std::uint8_t kind = 0, const std::vector<NodeId>& objects = {2, 3}) {
  Encoder out;
  out.u32(dim);
  out.u32(0);
  out.u64(count);
  for (std::size_t i = 0; i < documents.size(); ++i) out.u32(objects.at(i));
  for (const NodeId document : documents) out.u32(document);
  for (std::size_t i = 0; i < documents.size(); ++i) out.u8(kind);
  return {{"engine.rows", out.bytes()}};
}

Bytes previews(std::uint32_t version, std::uint64_t count, const std::vector<std::uint64_t>& ends,
               const std::string& texts) {
  Encoder out;
  out.u32(version);
  out.u32(0);
  out.u64(count);
  for (const std::uint64_t end : ends) out.u64(end);
  return {{"engine.previews", out.bytes() + texts}};
}

std::string floats(const std::vector<float>& values) {
  std::string out(values.size() * sizeof(float), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

// An engine with a document of two chunks: nodes d = 1, d/x = 2, d/y = 3.
class EngineSnapshot : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("knarr_engine_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    Engine engine(kDim);
    const std::vector<std::string_view> uris{"viking://d/x", "viking://d/y"}, texts{"one ", "two"};
    const std::vector<float> vectors{1, 0, 0, 0, 0, 1, 0, 0};
    const std::vector<std::string_view> previews{"first", "second"};
    engine.add({uris, vectors, texts, {}, previews, "viking://d", false});
    const std::vector<std::string_view> source{uris[0]}, target{uris[1]};
    engine.add_edges({source, target, "q", std::span(vectors).first(kDim), "t", "s"});
    engine.save(good());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string good() const { return (folder_ / "good").string(); }
  std::string bad() const { return (folder_ / "bad").string(); }

  // The good file with the bytes of some sections exchanged.
  void write_bad(const Bytes& bytes) {
    const auto snapshot = Snapshot::open(good());
    SnapshotWriter writer(bad());
    for (const std::string& name : kSections) {
      const auto found = bytes.find(name);
      writer.add(name, found == bytes.end() ? snapshot->section_text(name) : found->second);
    }
    writer.finish();
  }
  void expect_refused(const Bytes& bytes) {
    write_bad(bytes);
    try {
      Engine::load(bad());
      ADD_FAILURE() << "loaded";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.code(), ErrorCode::kCorruption) << message;
      EXPECT_NE(message.find(bad()), std::string::npos) << message;
    }
  }

  std::filesystem::path folder_;
};

TEST_F(EngineSnapshot, TheGoodOneLoads) {
  EXPECT_EQ(Engine::load(good())->size(), 2u);
  write_bad(nodes(4, {{1, 0, kNoRow, "d"}, {2, 1, 0, "x"}, {3, 1, 1, "y"}}));
  EXPECT_EQ(Engine::load(bad())->read("viking://d", 0, std::nullopt).text, "one two");
  write_bad(rows(kDim, 2, {1, kNoNode}));
  EXPECT_EQ(Engine::load(bad())->size(), 2u);
  write_bad(previews(1, 2, {0, 3}, "new"));
  const auto hits = Engine::load(bad())->search(std::vector<float>{1, 0, 0, 0}, {});
  EXPECT_EQ(hits.preview(0), "one");  // the beginning of its text
  EXPECT_EQ(hits.preview(1), "new");
}

TEST_F(EngineSnapshot, NodesAreATree) {
  const Node d{1, 0, kNoRow, "d"}, x{2, 1, 0, "x"}, y{3, 1, 1, "y"};
  const auto refused = [&](NodeId next_id, const std::vector<Node>& list) {
    expect_refused(nodes(next_id, list));
  };
  refused(4, {x, d, y});                                   // a child before its parent
  refused(4, {{1, 1, kNoRow, "d"}, x, y});                 // its own parent
  refused(4, {{1, 2, kNoRow, "d"}, {2, 1, kNoRow, "c"}});  // a cycle
  refused(4, {d, x, {3, 2, 1, "y"}});                      // below an object
  refused(4, {d, x, {3, 9, 1, "y"}});                      // a parent that is not there
  refused(4, {d, x, {2, 1, 1, "y"}});                      // an id twice
  refused(4, {d, x, {0, 1, 1, "y"}});                      // the root's id
  refused(4, {d, x, {3, 1, 1, "x"}});                      // a name twice
  refused(3, {d, x, y});                                   // an id that was never given out
  refused(4, {d, x, {3, 1, 0, "y"}});                      // a row twice
  refused(4, {d, x, {3, 1, 2, "y"}});                      // a row that is not there
  refused(4, {d, x, {3, 1, kNoRow, "y"}});                 // a directory without objects
  refused(4, {d, x});                                      // an edge of a node that is not there
  for (const char* name : {"", ".", "..", "../x", "a\nb", "\xff"})
    refused(4, {d, x, {3, 1, 1, name}});
}

TEST_F(EngineSnapshot, NamesFitTheNodes) {
  const Bytes good = nodes(4, {{1, 0, kNoRow, "d"}, {2, 1, 0, "x"}, {3, 1, 1, "y"}});
  for (const char* names : {"", "dx", "dxyz"}) {
    Bytes bytes = good;
    bytes["engine.names"] = names;
    expect_refused(bytes);
  }
}

TEST_F(EngineSnapshot, CountsAreNotBelieved) {
  Encoder huge;
  huge.u32(4);
  huge.u32(0);
  huge.u64(std::uint64_t{1} << 40);
  expect_refused({{"engine.nodes", huge.bytes()}});
  expect_refused(rows(kDim, std::uint64_t{1} << 40, {1, 1}));
  expect_refused(rows(kDim, 1, {1, 1}));
  expect_refused(rows(kDim, 3, {1, 1}));
  expect_refused({{"engine.rows", ""}});
  expect_refused({{"engine.nodes", ""}});
}

TEST_F(EngineSnapshot, RowsFitTheRest) {
  expect_refused(rows(0, 2, {1, 1}));
  expect_refused(rows(70'000, 2, {1, 1}));
  expect_refused(rows(2 * kDim, 2, {1, 1}));
  expect_refused(rows(kDim, 2, {1, 9}));     // a document that is not there
  expect_refused(rows(kDim, 2, {1, 2}));     // a document that is an object
  expect_refused(rows(kDim, 2, {1, 1}, 2));  // a kind that is none
  expect_refused(rows(kDim, 2, {1, 1}, 0, {2, 2}));
  expect_refused(rows(kDim, 2, {1, 1}, 0, {3, 2}));
  expect_refused(rows(kDim, 2, {1, 1}, 0, {2, kNoNode}));
  expect_refused(rows(kDim, 1, {1}));  // fewer than vectors, texts and nodes
}

TEST_F(EngineSnapshot, PreviewsFitTheRows) {
  expect_refused(previews(2, 2, {1, 2}, "ab"));  // of another version
  expect_refused(previews(1, 3, {1, 2, 2}, "ab"));
  expect_refused(previews(1, 1, {2}, "ab"));
  expect_refused(previews(1, 2, {1, 3}, "ab"));
  expect_refused(previews(1, 2, {1, 1}, "ab"));
  expect_refused(previews(1, 2, {5, 2}, "ab"));  // ends out of order
  expect_refused(previews(1, 2, {1, 2}, "a\xff"));
  expect_refused(previews(1, 2, {1, 2}, "\xc3\xa9"));  // cut inside a character
  expect_refused({{"engine.previews", ""}});
}

TEST_F(EngineSnapshot, VectorsAreUnitVectors) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_refused({{"engine.vectors", floats({1, 0, 0, 0, 0, 2, 0, 0})}});
  expect_refused({{"engine.vectors", floats({1, 0, 0, 0, 0, 0, 0, 0})}});
  expect_refused({{"engine.vectors", floats({1, 0, 0, 0, 0, nan, 0, 0})}});
  expect_refused({{"engine.vectors", floats({1, 0, 0, 0, 0, 1, 0})}});
  expect_refused({{"engine.vectors", floats({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1})}});
}

// Flips in every byte of each section: whatever the content, an answer or a refusal.
TEST_F(EngineSnapshot, AnyContentIsAnsweredOrRefused) {
  const auto snapshot = Snapshot::open(good());
  for (const std::string& name : kSections) {
    const std::string section(snapshot->section_text(name));
    for (std::size_t at = 0; at < section.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string bytes = section;
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
        write_bad({{name, bytes}});
        try {
          const auto engine = Engine::load(bad());
          const std::vector<float> query{1, 1, 0, 0};
          engine->search(query, {.k = 10, .expand = true});
          engine->grep(".", "viking://", {}, {});
          engine->read("viking://", 0, std::nullopt);
          engine->list("viking://", 0, 10);
          engine->remove("viking://");
        } catch (const Error&) {
        }
      }
    }
  }
}

}  // namespace
}  // namespace knarr
