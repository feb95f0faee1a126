// Snapshots: what was written comes back; what was touched is refused.
#include "snapshot/snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "edges/edges_codec.h"
#include "grep/text_codec.h"
#include "snapshot/format.h"
#include "snapshot/pages.h"

namespace knarr {
namespace {

namespace format = snapshot_format;

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("knarr_snapshot_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SnapshotTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "x.snapshot") const { return folder_ / name; }

  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  // Three sections: of odd size, empty, of several pieces.
  std::string written() const {
    SnapshotWriter writer(path());
    writer.add("first", "odd bytes");
    writer.add("empty", "");
    writer.begin("third");
    for (int i = 0; i < 50; ++i) writer.append(std::as_bytes(std::span("piece", 5)));
    writer.end();
    writer.finish();
    return read(path());
  }

  // The error that opening these bytes gives.
  Error refusal_of(const std::string& bytes) const {
    write(path("refused"), bytes);
    try {
      Snapshot::open(path("refused"));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::kIo, "not refused"};
  }

  std::filesystem::path folder_;
};

TEST_F(SnapshotTest, ASectionMayBeCheckedWhenItIsUsed) {
  std::string bytes = written();
  bytes[bytes.find("odd bytes")] ^= 1;
  write(path("later"), bytes);
  EXPECT_THROW(Snapshot::open(path("later")), Error);
  const auto snapshot = Snapshot::open(path("later"), Snapshot::Check::kWhenUsed);
  EXPECT_EQ(snapshot->section("third").size(), 250u);
  for (int again = 0; again < 2; ++again) {
    try {
      snapshot->section("first");
      ADD_FAILURE() << "a damaged section was given out";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorruption);
      EXPECT_NE(std::string(error.what()).find("section 'first'"), std::string::npos);
    }
  }
  bytes[64 + 10] = 'x';  // the gap behind the first section
  write(path("gap"), bytes);
  EXPECT_THROW(Snapshot::open(path("gap"), Snapshot::Check::kWhenUsed), Error);
}

// A section of 40 MB with a head: one page is damaged, and the others are given out.
TEST_F(SnapshotTest, PagesAreCheckedWhenTheyAreNeeded) {
  constexpr std::size_t kPage = 1000, kPages = 20'000;
  std::string large(kPage * kPages + 10, '\0');
  for (std::size_t i = 0; i < large.size(); i += 3) large[i] = static_cast<char>(i >> 6);
  const auto all = std::as_bytes(std::span(large));
  SnapshotWriter writer(path("paged"));
  PagedSection section(writer, "large", kPage);
  section.append(std::as_bytes(std::span("head", 4)));
  section.start();
  for (std::size_t at = 0; at < all.size(); at += 12'345) {
    section.append(all.subspan(at, std::min<std::size_t>(12'345, all.size() - at)));
  }
  section.end();
  writer.finish();
  const auto opened = [&](const std::string& name, Snapshot::Check check) {
    return open_paged(Snapshot::open(path(name), check), "large", 4, kPage,
                      [=](ByteSpan page) { return page.size() <= kPage; });
  };
  EXPECT_EQ(opened("paged", Snapshot::Check::kNow).pages, nullptr);
  const OpenedSection good = opened("paged", Snapshot::Check::kWhenUsed);
  ASSERT_NE(good.pages, nullptr);
  ASSERT_EQ(good.pages->pages(), kPages + 1);
  for (std::size_t page = 0; page <= kPages; ++page) good.pages->need(page);
  EXPECT_TRUE(good.pages->all());

  std::string bytes = read(path("paged"));
  bytes[format::kHeaderBytes + 4 + 7 * kPage + 5] ^= 2;
  write(path("bad"), bytes);
  EXPECT_THROW(Snapshot::open(path("bad")), Error);
  const OpenedSection bad = opened("bad", Snapshot::Check::kWhenUsed);
  bad.pages->need(6);
  bad.pages->need(8);
  for (int again = 0; again < 2; ++again) EXPECT_THROW(bad.pages->need(7), Error);
  EXPECT_FALSE(bad.pages->all());

  bytes = read(path("paged"));
  bytes[format::kHeaderBytes + 1] ^= 2;
  write(path("head"), bytes);
  EXPECT_THROW(opened("head", Snapshot::Check::kWhenUsed), Error);
}

TEST(CheckedPages, AreAskedForOnce) {
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const CheckedPages pages(
      10, [](std::size_t) {},
      [&](std::size_t begin, std::size_t end) { asked.emplace_back(begin, end); });
  pages.ask_for(2, 2);
  pages.ask_for(2, 5);
  pages.ask_for(3, 4);
  pages.ask_for(1, 6);
  pages.ask_for(0, 1);
  pages.ask_for(0, 8);
  using Range = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(asked, (std::vector<Range>{{2, 5}, {1, 6}, {0, 1}, {6, 8}}));
  pages.need(0, 10);
  EXPECT_TRUE(pages.all());
  pages.ask_for(8, 10);
  EXPECT_EQ(asked.size(), 4u);
}

// More than one thread checks it.
TEST_F(SnapshotTest, EveryPieceOfALargeSectionIsChecked) {
  std::string large(10 << 20, '\0');
  for (std::size_t i = 0; i < large.size(); i += 7) large[i] = static_cast<char>(i >> 5);
  SnapshotWriter writer(path("large"));
  writer.add("large", large);
  writer.finish();
  EXPECT_EQ(Snapshot::open(path("large"))->section_text("large"), large);
  const std::string good = read(path("large"));
  for (const std::size_t at : {0u, 1u, 4u << 20, (8u << 20) - 1, (10u << 20) - 1}) {
    std::string bytes = good;
    bytes[format::kHeaderBytes + at] ^= 4;
    write(path("bad"), bytes);
    EXPECT_THROW(Snapshot::open(path("bad"))->section("large"), Error) << at;
  }
}

TEST_F(SnapshotTest, MemoryHoldsWhatAFileWould) {
  SnapshotWriter writer;
  writer.add("first", "odd bytes");
  writer.add("empty", "");
  std::string long_one;
  writer.begin("third");
  for (int i = 0; i < 100000; ++i) {
    const std::string piece = "piece " + std::to_string(i);
    writer.append(std::as_bytes(std::span(piece)));
    long_one += piece;
  }
  EXPECT_THROW(writer.finish_in_memory(), Error);
  writer.end();
  EXPECT_THROW(writer.begin("first"), Error);
  const std::shared_ptr<Snapshot> snapshot = writer.finish_in_memory();
  EXPECT_EQ(snapshot->section_text("first"), "odd bytes");
  EXPECT_EQ(snapshot->section_text("empty"), "");
  EXPECT_EQ(snapshot->section_text("third"), long_one);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(snapshot->section("third").data()) % 64, 0u);
  EXPECT_EQ(snapshot->size_bytes(), long_one.size() + 9);
  EXPECT_TRUE(snapshot->has("third"));
  snapshot->forget("third");
  EXPECT_FALSE(snapshot->has("third"));
  EXPECT_EQ(snapshot->section_text("first"), "odd bytes");
  EXPECT_THROW(SnapshotWriter(path()).finish_in_memory(), Error);
}

TEST_F(SnapshotTest, RoundTrip) {
  written();
  const auto snapshot = Snapshot::open(path());
  EXPECT_EQ(snapshot->section_text("first"), "odd bytes");
  EXPECT_EQ(snapshot->section_text("empty"), "");
  EXPECT_EQ(snapshot->section("third").size(), 250u);
  EXPECT_TRUE(snapshot->has("third"));
  EXPECT_FALSE(snapshot->has("fourth"));
  for (const char* name : {"first", "empty", "third"}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(snapshot->section(name).data()) % 64, 0u);
  }
  try {
    snapshot->section("fourth");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorruption);
    EXPECT_NE(std::string(error.what()).find("'fourth'"), std::string::npos);
  }
}

TEST_F(SnapshotTest, NothingAtAllIsASnapshotToo) {
  SnapshotWriter writer(path());
  writer.finish();
  EXPECT_FALSE(Snapshot::open(path())->has("first"));
}

TEST_F(SnapshotTest, AFlippedBitInAnyByteIsCorruption) {
  const std::string good = written();
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (std::size_t bit = at % 8; bit < 8; bit += at < format::kHeaderBytes ? 1 : 8) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      const Error error = refusal_of(bad);
      ASSERT_EQ(error.code(), ErrorCode::kCorruption) << "byte " << at << ": " << error.what();
      ASSERT_NE(std::string(error.what()).find("refused: section '"), std::string::npos);
    }
  }
}

TEST_F(SnapshotTest, EveryCutIsCorruption) {
  const std::string good = written();
  for (std::size_t size = 0; size < good.size(); ++size) {
    ASSERT_EQ(refusal_of(good.substr(0, size)).code(), ErrorCode::kCorruption) << size;
  }
  EXPECT_EQ(refusal_of(good + '\0').code(), ErrorCode::kCorruption);
}

TEST_F(SnapshotTest, TheSectionIsNamed) {
  std::string bad = written();
  bad[format::kHeaderBytes + 3] ^= 1;
  EXPECT_NE(std::string(refusal_of(bad).what()).find("'first'"), std::string::npos);
}

// Bytes with a header and a table that vouch for themselves, whatever they say.
std::string forged(std::uint32_t version, std::uint32_t sections, std::uint64_t table_at,
                   std::uint64_t file_bytes, const std::string& body) {
  std::string bytes(format::kHeaderBytes, '\0');
  auto* header = reinterpret_cast<unsigned char*>(bytes.data());
  std::memcpy(header, format::kMagic, sizeof format::kMagic);
  store_little(version, header + format::kVersionAt);
  store_little(sections, header + format::kSectionsAt);
  store_little(table_at, header + format::kTableAt);
  store_little(file_bytes, header + format::kFileBytesAt);
  const auto whole = bytes + body;
  if (table_at <= whole.size()) {
    store_little(crc32c(std::as_bytes(std::span(whole).subspan(table_at))),
                 header + format::kTableCrcAt);
  }
  store_little(crc32c(std::as_bytes(std::span(bytes)).first(format::kHeaderCrcAt)),
               header + format::kHeaderCrcAt);
  return bytes + body;
}

std::string entry(const std::string& name, std::uint64_t offset, std::uint64_t size) {
  Encoder out;
  for (std::size_t i = 0; i < format::kNameBytes; ++i) {
    out.u8(i < name.size() ? static_cast<std::uint8_t>(name[i]) : 0);
  }
  out.u64(offset);
  out.u64(size);
  out.u32(0);
  out.u32(0);
  return out.bytes();
}

TEST_F(SnapshotTest, ANewerVersionIsNamed) {
  const Error error = refusal_of(forged(7, 0, 64, 64, ""));
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_NE(std::string(error.what()).find("version 7"), std::string::npos);
  EXPECT_NE(std::string(error.what()).find("version " + std::to_string(format::kVersion)),
            std::string::npos);
}

TEST_F(SnapshotTest, NumbersAreNotBelieved) {
  constexpr std::uint64_t huge = UINT64_MAX;
  const std::vector<std::string> bad = {
      forged(format::kVersion, UINT32_MAX, 64, 64, ""),
      forged(format::kVersion, 1, 64, 64, ""),
      forged(format::kVersion, 0, huge, 64, ""),
      forged(format::kVersion, 0, 64, huge, ""),
      forged(format::kVersion, 1, 64, 128, entry("a", huge - 63, 128)),
      forged(format::kVersion, 1, 64, 128, entry("a", 64, huge)),
      forged(format::kVersion, 1, 64, 128, entry("a", 128, 0)),
      forged(format::kVersion, 1, 64, 128, entry("a", 0, 64)),
      forged(format::kVersion, 2, 64, 192, entry("a", 64, 0) + entry("b", huge, 1)),
  };
  for (const std::string& bytes : bad) {
    const Error error = refusal_of(bytes);
    EXPECT_EQ(error.code(), ErrorCode::kCorruption) << error.what();
  }
}

TEST_F(SnapshotTest, AMissingFileIsAnIoError) {
  try {
    Snapshot::open(path("absent"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos);
  }
  EXPECT_THROW(Snapshot::open(folder_), Error);
  EXPECT_THROW(SnapshotWriter(path("no/such/folder")), Error);
}

TEST_F(SnapshotTest, TheOldOneStaysUntilTheNewOneIsWhole) {
  written();
  const auto old = Snapshot::open(path());
  {
    SnapshotWriter abandoned(path());
    abandoned.add("first", "half a snap");
  }
  EXPECT_EQ(Snapshot::open(path())->section_text("first"), "odd bytes");
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));

  write(path() + ".tmp", std::string(100'000, 'x'));  // what a killed writer leaves behind
  SnapshotWriter writer(path());
  writer.add("first", "new");
  EXPECT_EQ(Snapshot::open(path())->section_text("first"), "odd bytes");
  writer.finish();
  EXPECT_EQ(Snapshot::open(path())->section_text("first"), "new");
  EXPECT_EQ(old->section_text("first"), "odd bytes");  // still mapped
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));
}

TEST_F(SnapshotTest, OneWriterAtATime) {
  SnapshotWriter first(path());
  try {
    SnapshotWriter second(path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_NE(std::string(error.what()).find("another writer"), std::string::npos);
  }
  first.add("first", "mine");
  first.finish();
  EXPECT_EQ(Snapshot::open(path())->section_text("first"), "mine");
}

TEST_F(SnapshotTest, MisuseIsRefused) {
  SnapshotWriter writer(path());
  writer.add("a", "1");
  EXPECT_THROW(writer.add("a", "2"), Error);
  EXPECT_THROW(writer.add("", "2"), Error);
  EXPECT_THROW(writer.add(std::string(41, 'n'), "2"), Error);
  EXPECT_THROW(writer.append({}), Error);
  EXPECT_THROW(writer.end(), Error);
  writer.begin("b");
  EXPECT_THROW(writer.begin("c"), Error);
  EXPECT_THROW(writer.finish(), Error);
  writer.end();
  writer.add(std::string(40, 'n'), "longest");
  writer.finish();
  EXPECT_THROW(writer.add("late", "x"), Error);
  EXPECT_EQ(Snapshot::open(path())->section_text(std::string(40, 'n')), "longest");
}

// --- what the rooms store in it

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
