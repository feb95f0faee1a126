// What the rooms store in a snapshot comes back, or is refused as corrupt.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "edges/edges_codec.h"
#include "grep/text/text_codec.h"
#include "snapshot/snapshot.h"
#include "snapshot_fixture.h"

namespace knarr {
namespace {

class StoredTest : public SnapshotTest {
 protected:
  static TextStore some_texts() {
    TextStore texts;
    texts.append("one\r\ntwo", std::vector<Slice>{{0, 0, 5}, {2, 5, 8}});
    texts.append("gone", std::vector<Slice>{{1, 0, 4}});
    texts.append("drei é", std::vector<Slice>{{3, 0, 4}, {4, 4, 4}, {5, 4, 7}});
    texts.append("", std::vector<Slice>{{6, 0, 0}});
    texts.release(1);
    return texts;
  }
  static EdgeStore some_edges() {
    EdgeStore edges(2);
    const std::vector<float> east{1, 0}, north{0, 2};
    edges.add({"q1", east, "t1", "search, read", 500}, std::vector<EdgeEnds>{{1, 2}, {1, 3}});
    edges.add({"q1", east, "t2", "again"}, std::vector<EdgeEnds>{{1, 2}});
    edges.add({"gone", north, "t3", ""}, std::vector<EdgeEnds>{{7, 8}});
    edges.add({"q2", north, "", ""}, std::vector<EdgeEnds>{{2, 1}});
    edges.remove_trace("t3");
    edges.set_trace_active("t2", false);
    return edges;
  }
  void save(TextStore texts, const EdgeStore& edges) const {
    SnapshotWriter writer(path());
    save_texts(texts.view(), writer);
    EdgeCodec::save(edges, writer);
    writer.finish();
  }
};

TEST_F(StoredTest, TextsComeBack) {
  save(some_texts(), some_edges());
  TextStore loaded = load_texts(Snapshot::open(path()));
  const TextView view = loaded.view();
  ASSERT_EQ(view.block_count(), 4u);
  EXPECT_EQ(view.block(1), nullptr);
  EXPECT_EQ(view.text(0), "one\r\n");
  EXPECT_EQ(view.text(1), "");
  EXPECT_EQ(view.text(2), "two");
  EXPECT_EQ(view.text(4), "");
  EXPECT_EQ(view.text(5), " é");
  EXPECT_EQ(view.place(5).block, 2u);
  EXPECT_EQ(view.block(0)->line_at(6), 2u);
  loaded.append("more", std::vector<Slice>{{9, 0, 4}});  // goes on from there
  EXPECT_EQ(loaded.view().text(9), "more");
}

TEST_F(StoredTest, EdgesComeBack) {
  const EdgeStore edges = some_edges();
  save(some_texts(), edges);
  EdgeStore loaded = EdgeCodec::load(*Snapshot::open(path()));
  EXPECT_EQ(loaded.edge_count(), 4u);
  EXPECT_EQ(loaded.question_count(), 2u);
  EXPECT_EQ(loaded.weight(1, 2), 2u);
  const auto before = edges.list(0, 100), after = loaded.list(0, 100);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].source, after[i].source);
    EXPECT_EQ(before[i].target, after[i].target);
    EXPECT_EQ(before[i].episode, after[i].episode);
    EXPECT_EQ(before[i].active, after[i].active);
    EXPECT_EQ(before[i].expires_at_s, after[i].expires_at_s);
    const EpisodeView a = edges.episode(before[i].episode), b = loaded.episode(after[i].episode);
    EXPECT_EQ(a.question, b.question);
    EXPECT_EQ(a.trace, b.trace);
    EXPECT_EQ(a.summary, b.summary);
    EXPECT_TRUE(std::equal(a.vector.begin(), a.vector.end(), b.vector.begin()));
  }
  // Replaying what is known adds nothing; removal still finds everything.
  const std::vector<float> east{1, 0};
  EXPECT_EQ(loaded.add({"q1", east, "t1", ""}, std::vector<EdgeEnds>{{1, 2}}), 0u);
  EXPECT_EQ(loaded.add({"q3", east, "t9", ""}, std::vector<EdgeEnds>{{1, 2}}), 1u);
  EXPECT_EQ(loaded.remove_trace("t1"), 2u);
  EXPECT_EQ(loaded.remove_node(1), 3u);
  EXPECT_EQ(loaded.edge_count(), 0u);
  EXPECT_EQ(loaded.question_count(), 0u);
}

// Sections whose checksums are right but whose bytes are anything: loaded, or refused as corrupt.
TEST_F(StoredTest, WrongBytesWithRightChecksumsAreRefused) {
  save(some_texts(), some_edges());
  const auto good = Snapshot::open(path());
  const std::vector<std::string> names = {"text.bytes", "text.blocks", "edges.questions",
                                          "edges.episodes", "edges.links"};
  std::mt19937 random(5);
  std::size_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string& spoilt = names[random() % names.size()];
    std::string bytes(good->section_text(spoilt));
    switch (random() % 3) {
      case 0:
        bytes.resize(random() % (bytes.size() + 1));
        break;
      case 1:
        bytes.append(1 + random() % 9, static_cast<char>(random()));
        break;
      default:
        if (!bytes.empty()) bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    {
      SnapshotWriter writer(path("spoilt"));
      for (const std::string& name : names) {
        writer.add(name, name == spoilt ? std::string_view(bytes) : good->section_text(name));
      }
      writer.finish();
    }
    const auto snapshot = Snapshot::open(path("spoilt"));
    for (const bool texts : {true, false}) {
      try {
        if (texts) {
          load_texts(snapshot);
        } else {
          EdgeCodec::load(*snapshot);
        }
      } catch (const Error& error) {
        ++refused;
        ASSERT_EQ(error.code(), ErrorCode::kCorruption) << error.what();
        ASSERT_NE(std::string(error.what()).find("spoilt: section '"), std::string::npos)
            << error.what();
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace knarr
