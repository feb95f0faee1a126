// CowTree against std::map, which is copied whole where the tree shares.
#include "base/tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace knarr {
namespace {

using Tree = CowTree<int, std::string>;
using ReferenceMap = std::map<int, std::string>;

void expect_equal(const Tree& tree, const ReferenceMap& reference) {
  ASSERT_EQ(tree.size(), reference.size());
  auto cursor = tree.begin();
  std::size_t rank = 0;
  for (const auto& [key, value] : reference) {
    ASSERT_TRUE(cursor.valid());
    ASSERT_EQ(cursor.key(), key);
    ASSERT_EQ(cursor.value(), value);
    ASSERT_EQ(tree.rank(key), rank);
    ASSERT_EQ(tree.at(rank).key(), key);
    cursor.next();
    ++rank;
  }
  EXPECT_FALSE(cursor.valid());
  EXPECT_FALSE(tree.at(rank).valid());
}

void expect_same_bounds(const Tree& tree, const ReferenceMap& reference, int key) {
  const auto cursor = tree.lower_bound(key);
  const auto place = reference.lower_bound(key);
  ASSERT_EQ(cursor.valid(), place != reference.end());
  if (cursor.valid()) {
    EXPECT_EQ(cursor.key(), place->first);
  }
  EXPECT_EQ(tree.rank(key), static_cast<std::size_t>(std::distance(reference.begin(), place)));
  const std::string* value = tree.find(key);
  const auto found = reference.find(key);
  ASSERT_EQ(value != nullptr, found != reference.end());
  if (value != nullptr) {
    EXPECT_EQ(*value, found->second);
  }
}

TEST(CowTree, EmptyHasNothing) {
  Tree tree;
  expect_equal(tree, {});
  EXPECT_EQ(tree.find(1), nullptr);
  EXPECT_EQ(tree.edit(1), nullptr);
  EXPECT_FALSE(tree.erase(1));
  EXPECT_FALSE(tree.lower_bound(1).valid());
  EXPECT_EQ(tree.size_bytes(), 0u);
}

// Random edits of several versions that share nodes: an edit of one is never seen in another.
TEST(CowTree, VersionsAreIndependent) {
  for (int keys : {40, 500, 20000}) {
    std::mt19937 random(7u + static_cast<unsigned>(keys));
    std::vector<std::pair<Tree, ReferenceMap>> versions(1);
    for (int step = 0; step < 12000; ++step) {
      auto& [tree, reference] = versions[random() % versions.size()];
      const int key = static_cast<int>(random() % static_cast<unsigned>(keys));
      const std::string value = std::to_string(random());
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
        case 3:
          ASSERT_EQ(tree.insert(key, value), reference.insert_or_assign(key, value).second);
          break;
        case 4:
        case 5:
          ASSERT_EQ(tree.erase(key), reference.erase(key) == 1);
          break;
        case 6:
          if (std::string* place = tree.edit(key)) {
            *place = value;
            reference.at(key) = value;
          } else {
            ASSERT_FALSE(reference.contains(key));
          }
          break;
        default:
          expect_same_bounds(tree, reference, key);
          if (step % 50 == 0 && versions.size() < 4) versions.push_back(versions.front());
          break;
      }
    }
    for (const auto& [tree, reference] : versions) expect_equal(tree, reference);
  }
}

// A tree that was packed at once goes on like any other, also when its nodes come from a pool.
TEST(CowTree, PackedTreesAreTrees) {
  for (const int n : {0, 1, 33, 5'000, 150'000}) {
    std::mt19937 random(13);
    ReferenceMap reference;
    for (int i = 0; i < n; ++i)
      reference.emplace(3 * i, std::to_string(i) + " is kept outside of it");
    auto next = reference.begin();
    Tree tree = Tree::of_sorted(reference.size(), [&](std::size_t) { return *next++; });
    expect_equal(tree, reference);
    const Tree first = tree;
    const ReferenceMap first_reference = reference;
    for (int step = 0; step < 2'000; ++step) {
      const int key = static_cast<int>(random() % static_cast<unsigned>(3 * n + 5));
      if (random() % 2 == 0) {
        ASSERT_EQ(tree.insert(key, "new"), reference.insert_or_assign(key, "new").second);
      } else {
        ASSERT_EQ(tree.erase(key), reference.erase(key) == 1);
      }
    }
    tree.erase_range(n / 2, 2 * n);
    reference.erase(reference.lower_bound(n / 2), reference.lower_bound(2 * n));
    expect_equal(tree, reference);
    expect_equal(first, first_reference);
  }
}

TEST(ObjectPool, ObjectsOutliveIt) {
  constexpr std::size_t objects = 5'000;  // several slabs
  std::vector<int*> made;
  {
    ObjectPool pool;
    for (std::size_t i = 0; i < objects; ++i) {
      made.push_back(static_cast<int*>(pool.take(1000 + i % 40)));
      *made.back() = static_cast<int>(i);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(made.back()) % alignof(std::max_align_t), 0u);
    }
    for (std::size_t i = 0; i < objects; i += 2) ObjectPool::give_back(made[i]);
  }
  for (std::size_t i = 1; i < objects; i += 2) {
    ASSERT_EQ(*made[i], static_cast<int>(i));
    ObjectPool::give_back(made[i]);
  }
}

// Ranges of all sizes, in trees that share nodes with the one before the erasure.
TEST(CowTree, ErasesRanges) {
  std::mt19937 random(11);
  for (const unsigned keys : {10u, 400u, 30000u}) {
    Tree tree;
    ReferenceMap reference;
    for (int round = 0; round < 60; ++round) {
      for (unsigned i = 0; i < keys / 4; ++i) {
        const int key = static_cast<int>(random() % keys);
        tree.insert(key, "x");
        reference.insert_or_assign(key, "x");
      }
      const Tree before = tree;
      const ReferenceMap reference_before = reference;
      for (int cut = 0; cut < 3; ++cut) {
        const int from = static_cast<int>(random() % keys);
        const int to = from + static_cast<int>(random() % (cut == 0 ? keys : 40u));
        const auto first = reference.lower_bound(from), last = reference.lower_bound(to);
        ASSERT_EQ(tree.erase_range(from, to), static_cast<std::size_t>(std::distance(first, last)));
        reference.erase(first, last);
        expect_same_bounds(tree, reference, from);
      }
      expect_equal(tree, reference);
      if (round % 10 == 0) expect_equal(before, reference_before);
    }
    EXPECT_EQ(tree.erase_range(5, 5), 0u);
    EXPECT_EQ(tree.erase_range(9, 5), 0u);
    tree.erase_range(0, static_cast<int>(keys));
    expect_equal(tree, {});
    EXPECT_EQ(tree.size_bytes(), 0u);
  }
}

// Few, many and all of the keys at once, in trees that share nodes with the one before.
TEST(CowTree, ErasesManyKeysAtOnce) {
  std::mt19937 random(12);
  for (const unsigned keys : {1u, 30u, 400u, 30000u}) {
    for (const unsigned one_in : {1u, 2u, 10u, 300u}) {
      Tree tree;
      ReferenceMap reference;
      for (unsigned i = 0; i < keys; ++i) {
        const int key = static_cast<int>(random() % (2 * keys));
        tree.insert(key, std::to_string(key));
        reference.emplace(key, std::to_string(key));
      }
      while (!reference.empty()) {
        const Tree before = tree;
        const ReferenceMap reference_before = reference;
        std::vector<int> gone;
        for (const auto& [key, value] : reference) {
          if (random() % one_in == 0 || reference.size() < 20) gone.push_back(key);
        }
        tree.erase_each(std::span<const int>(gone));
        for (const int key : gone) reference.erase(key);
        expect_equal(tree, reference);
        expect_equal(before, reference_before);
        if (one_in == 300 && keys == 30000u) break;
      }
    }
  }
}

TEST(CowTree, GrowsAndShrinksFromBothEnds) {
  for (const bool ascending : {true, false}) {
    Tree tree;
    ReferenceMap reference;
    constexpr int kCount = 5000;
    for (int i = 0; i < kCount; ++i) {
      const int key = ascending ? i : kCount - i;
      tree.insert(key, "x");
      reference.emplace(key, "x");
    }
    expect_equal(tree, reference);
    while (!reference.empty()) {
      const int key = ascending ? reference.begin()->first : reference.rbegin()->first;
      tree.erase(key);
      reference.erase(key);
      if (reference.size() % 997 == 0) expect_equal(tree, reference);
    }
    EXPECT_EQ(tree.size_bytes(), 0u);
  }
}

TEST(CowTree, KeysInOrderPackTheLeaves) {
  CowTree<int, int> tree;
  for (int i = 0; i < 31000; ++i) tree.insert(i, i);
  EXPECT_LT(tree.size_bytes(), 31000 * 16);
}

TEST(CowTree, ManyKeysSideBySideAreFoundAsEachAlone) {
  using K = std::uint32_t;
  for (const unsigned n : {0u, 1u, 33u, 5000u}) {
    CowTree<K, unsigned> tree;
    std::map<K, unsigned> reference;
    std::mt19937 random(n);
    for (unsigned i = 0; i < n; ++i) {
      const auto key = static_cast<K>(random() % (3 * n));
      tree.insert(key, i);
      reference.insert_or_assign(key, i);
      if (i % 3 == 0) reference.erase(key), tree.erase(key);
    }
    std::vector<K> keys;
    for (unsigned i = 0; i < 100; ++i) keys.push_back(static_cast<K>(random() % (3 * n + 9)));
    std::vector<const unsigned*> found(keys.size());
    tree.find_each(std::span<const K>(keys), std::span(found));
    std::vector<CowTree<K, unsigned>::Cursor> bounds(keys.size());
    tree.lower_bounds(std::span<const K>(keys), std::span(bounds));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto place = reference.find(keys[i]);
      ASSERT_EQ(found[i], tree.find(keys[i]));
      ASSERT_EQ(found[i] != nullptr, place != reference.end());
      if (found[i] != nullptr) ASSERT_EQ(*found[i], place->second);
      auto next = reference.lower_bound(keys[i]);
      for (int steps = 0; steps < 50 && next != reference.end();
           ++steps, ++next, bounds[i].next()) {
        ASSERT_TRUE(bounds[i].valid());
        ASSERT_EQ(bounds[i].key(), next->first);
      }
      ASSERT_EQ(bounds[i].valid(), next != reference.end());
    }
  }
}

struct Word {
  std::string text;
};
struct ByText {
  bool operator()(const Word& a, const Word& b) const { return a.text < b.text; }
  bool operator()(const Word& a, std::string_view b) const { return a.text < b; }
  bool operator()(std::string_view a, const Word& b) const { return a < b.text; }
};

TEST(CowTree, LooksUpByAnythingComparable) {
  CowTree<Word, int, ByText> tree;
  tree.insert({"mast"}, 1);
  tree.insert({"oar"}, 2);
  EXPECT_EQ(*tree.find(std::string_view("oar")), 2);
  EXPECT_EQ(tree.lower_bound(std::string_view("n")).key().text, "oar");
  EXPECT_TRUE(tree.erase(std::string_view("mast")));
  EXPECT_EQ(tree.size(), 1u);
}

// A writer changes its draft while readers hold, read and drop older versions.
TEST(CowTree, ReadersKeepTheirVersion) {
  CowTree<int, int> tree;
  for (int i = 0; i < 2000; ++i) tree.insert(i, 0);
  std::vector<std::thread> readers;
  for (int version = 1; version <= 6; ++version) {
    for (int i = 0; i < 2000; ++i) *tree.edit(i) = version;
    readers.emplace_back([copy = tree, version]() mutable {
      for (int round = 0; round < 20; ++round) {
        for (auto at = copy.begin(); at.valid(); at.next()) ASSERT_EQ(at.value(), version);
      }
      for (int i = 0; i < 1000; ++i) copy.erase(i);
      ASSERT_EQ(copy.size(), 1000u);
    });
    tree.insert(2000 + version, version);
    tree.erase(2000 + version);
  }
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(tree.size(), 2000u);
}

}  // namespace
}  // namespace knarr
