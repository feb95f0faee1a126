// Snapshots: what was written comes back; what was touched is refused.
#include "snapshot/snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "snapshot/format.h"
#include "snapshot/pages.h"
#include "snapshot_fixture.h"

namespace knarr {
namespace {

namespace format = snapshot_format;

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

}  // namespace
}  // namespace knarr
