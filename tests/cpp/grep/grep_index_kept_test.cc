// The index of grep over time: in snapshots, while texts come and go, and with the engine.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "base/error.h"
#include "engine/engine.h"
#include "grep/grep.h"
#include "grep/text/text_codec.h"
#include "grep_random.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

struct TemporaryFile {
  TemporaryFile() : path(testing::TempDir() + "grep_index_test." + std::to_string(::getpid())) {}
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path;
};

// Texts that fill units of the usual size.
TextStore long_texts(std::mt19937& random, int blocks) {
  TextStore store;
  Row row = 0;
  for (int i = 0; i < blocks; ++i) {
    std::string text;
    while (text.size() < 40'000) text += random_text(random) + "\r\n";
    store.append(text, std::vector<Slice>{{row++, 0, static_cast<std::uint32_t>(text.size())}});
  }
  return store;
}

std::shared_ptr<const Snapshot> saved(const TextView& texts, const std::string& path) {
  SnapshotWriter writer(path);
  save_texts(texts, writer);
  writer.finish();
  return Snapshot::open(path);
}

void expect_same_tables(const PageIndex::View& a, const PageIndex::View& b) {
  ASSERT_EQ(a.unit_count(), b.unit_count());
  for (std::size_t u = 0; u < a.unit_count(); ++u) {
    ASSERT_EQ(a.unit(u).spans(), b.unit(u).spans());
    ASSERT_EQ(a.unit(u).table_words(), b.unit(u).table_words());
    ASSERT_TRUE(std::equal(a.unit(u).words(), a.unit(u).words() + a.unit(u).table_words(),
                           b.unit(u).words()));
  }
}

TEST(GrepIndex, IsMappedFromASnapshot) {
  std::mt19937 random(5);
  TextStore store = long_texts(random, 30);
  const TextView view = store.view();
  ASSERT_EQ(view.pages().unit_count(), 2u);  // a large one, a small one
  const TemporaryFile file;
  const auto snapshot = saved(view, file.path);
  ASSERT_TRUE(snapshot->has("text.index"));
  TextStore loaded = load_texts(snapshot);
  expect_same_tables(loaded.view().pages(), view.pages());
  const auto* first = reinterpret_cast<const std::byte*>(loaded.view().pages().unit(0).words());
  const auto section = snapshot->section("text.index");
  EXPECT_TRUE(section.data() <= first && first < section.data() + section.size());
}

// A released block leaves a hole; the saved texts are then indexed anew.
TEST(GrepIndex, WithHolesIsMadeAnewFromASnapshot) {
  std::mt19937 random(6);
  TextStore store = long_texts(random, 30);
  store.view();
  store.release(3);
  const TemporaryFile file;
  const auto snapshot = saved(store.view(), file.path);
  EXPECT_FALSE(snapshot->has("text.index"));
  TextStore loaded = load_texts(snapshot);
  const TextView view = loaded.view();
  EXPECT_GT(view.pages().unit_count(), 0u);
  GrepOptions options;
  options.limit = 0;
  options.index = IndexUse::kAlways;
  const auto with = grep(view, RowSet::range(0, 30), "Penalty late", options);
  options.index = IndexUse::kNever;
  EXPECT_EQ(with.total, grep(view, RowSet::range(0, 30), "Penalty late", options).total);
  EXPECT_GT(with.total, 0u);
}

TEST(GrepIndex, OfAnotherSizeThanTheTextsIsRefused) {
  std::mt19937 random(7);
  const TextView view = long_texts(random, 30).view();
  const TemporaryFile file;
  const auto snapshot = saved(view, file.path);
  const TemporaryFile other;
  SnapshotWriter writer(other.path + ".cut");
  for (const std::string_view name : {"text.bytes", "text.blocks"}) {
    writer.add(name, snapshot->section_text(name));
  }
  writer.add(
      "text.index",
      snapshot->section_text("text.index").substr(0, 64 + kPostings * sizeof(std::uint64_t)));
  writer.finish();
  const auto cut = Snapshot::open(other.path + ".cut");
  try {
    load_texts(cut);
    ADD_FAILURE() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorruption);
  }
  std::remove((other.path + ".cut").c_str());
}

// Texts come and go: the size of the index follows the texts that are there.
TEST(GrepIndex, ChurnLeavesItsSize) {
  std::mt19937 random(8);
  TextStore store;
  Row row = 0;
  std::string text;
  while (text.size() < 30'000) text += random_text(random);
  const auto append = [&] {
    const auto size = static_cast<std::uint32_t>(text.size());
    return store.append(text, std::vector<Slice>{{row++, 0, size}});
  };
  std::vector<BlockId> alive;
  for (int i = 0; i < 100; ++i) alive.push_back(append());
  const std::size_t before = store.view().pages().unit_count();
  for (int i = 0; i < 1'000; ++i) {
    const std::size_t gone = random() % alive.size();
    store.release(alive[gone]);
    alive[gone] = append();
    const TextView view = store.view();
    const auto& pages = view.pages();
    ASSERT_LT(pages.unit_count(), 3 * before + 8) << i;
    ASSERT_LT(pages.pending_count(), 200u) << i;
  }
}

// The engine keeps the index with its texts through saving, loading, removing and adding again.
TEST(GrepIndex, FollowsTheEngine) {
  std::mt19937 random(10);
  const TemporaryFile file;
  Engine first(2);
  const std::vector<float> vector{1, 0};
  const auto add = [&](Engine& engine, int i) {
    std::string text;
    while (text.size() < 20'000) text += random_text(random);
    const std::string document = "viking://d" + std::to_string(i);
    const std::string uri = document + "/c";
    const std::vector<std::string_view> uris{uri};
    const std::vector<std::string_view> texts{text};
    engine.add({.uris = uris, .vectors = vector, .texts = texts, .document = document});
  };
  const auto expect_whole = [&](const Engine& engine, std::uint64_t least) {
    for (const char* pattern :
         {"late fee", "(?i)penalty\\s+stop", "NA\u00CFVE|100%", "ДОГОВОР x"}) {
      for (const char* scope : {"viking://", "viking://d3"}) {
        GrepOptions options;
        options.index = IndexUse::kAlways;
        const auto with = engine.grep(pattern, scope, {}, options);
        options.index = IndexUse::kNever;
        const auto without = engine.grep(opaque(pattern), scope, {}, options);
        ASSERT_EQ(with.total, without.total) << pattern;
        ASSERT_GE(with.total, scope == std::string_view("viking://") ? least : 0);
      }
    }
  };
  for (int i = 0; i < 30; ++i) add(first, i);
  expect_whole(first, 1);
  first.save(file.path);
  const auto second = Engine::load(file.path);
  expect_whole(*second, 1);
  for (int i = 0; i < 30; i += 2) second->remove("viking://d" + std::to_string(i));
  expect_whole(*second, 1);
  for (int i = 40; i < 120; ++i) add(*second, i);
  for (int i = 50; i < 110; ++i) second->remove("viking://d" + std::to_string(i));
  expect_whole(*second, 1);
  second->save(file.path);
  expect_whole(*Engine::load(file.path), 1);
}

}  // namespace
}  // namespace knarr
