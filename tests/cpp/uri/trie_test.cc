// The trie against its reference model.
#include "uri/trie.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "error_code.h"
#include "trie_reference.h"
#include "uri/append.h"

namespace knarr {
namespace {

TEST(Trie, RandomEditsMatchTheReference) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Names names(seed);
    Trie trie;
    ReferenceTrie reference;
    Row next = 0;
    std::vector<std::pair<Trie, ReferenceTrie>> kept;
    for (int step = 0; step < 400; ++step) {
      const Path path = names.path(1);
      const NodeId id = trie.find(path);
      ASSERT_EQ(id != kNoNode, reference.exists(path));
      const unsigned action = names.next(10);
      if (action < 6 && !reference.exists(path) && !reference.blocked(path)) {
        add_one(trie, path, next);
        reference.add(path, next++);
      } else if (action < 8 && id != kNoNode) {
        const std::size_t before = trie.size();
        const auto gone = trie.remove(id);
        ASSERT_EQ(trie.size() + gone.size(), before);
        reference.remove(path);
      } else if (id != kNoNode) {
        const Path target = names.path(1);
        if (reference.exists(target) || reference.blocked(target) || starts_with(target, path)) {
          Trie draft = trie;
          EXPECT_THROW(draft.move(id, target), Error);
        } else {
          trie.move(id, target);
          reference.move(path, target);
          ASSERT_EQ(trie.find(target), id) << "a node keeps its id";
        }
      }
      if (step % 20 == 0) expect_equal(trie, reference);
      if (step % 100 == 0) kept.emplace_back(trie, reference);
    }
    expect_equal(trie, reference);
    for (const auto& [old_trie, old_reference] : kept) expect_equal(old_trie, old_reference);
  }
}

TEST(Trie, ARunOfObjectsEqualsOneByOne) {
  for (unsigned seed = 20; seed < 30; ++seed) {
    Names names(seed);
    Trie one_by_one, run;
    TrieAppender appender(run, 0);
    Row next = 0;
    for (int i = 0; i < 60; ++i) {
      const Path path = names.path(1);
      Trie draft = one_by_one;
      try {
        add_one(draft, path, next);
      } catch (const Error&) {
        continue;
      }
      one_by_one = draft;
      appender.add(path);
      ++next;
    }
    EXPECT_TRUE(appender.finish().empty());
    ASSERT_EQ(run.size(), one_by_one.size());
    for (const NodeId id : one_by_one.subtree(Trie::kRoot)) {
      const NodeId reference = run.find(one_by_one.path(id));
      ASSERT_NE(reference, kNoNode);
      ASSERT_EQ(run.node(reference).rows, one_by_one.node(id).rows);
      ASSERT_EQ(run.child_count(reference), one_by_one.child_count(id));
    }
  }
}

TEST(Trie, RefusesConflicts) {
  Trie trie;
  add_one(trie, {"a", "x"}, 0);
  const auto add = [&](const Path& path) {
    return code_of([&] {
      Trie draft = trie;
      add_one(draft, path, 1);
    });
  };
  EXPECT_EQ(add({"a", "x"}), ErrorCode::kAlreadyExists);
  EXPECT_EQ(add({"a"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(add({"a", "x", "y"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(add({}), ErrorCode::kInvalidArgument);
  const auto move = [&](const Path& from, const Path& to) {
    return code_of([&] {
      Trie draft = trie;
      draft.move(draft.find(from), to);
    });
  };
  EXPECT_EQ(move({"a"}, {"a", "b"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(move({"a"}, {"a"}), ErrorCode::kAlreadyExists);
  EXPECT_EQ(move({"a"}, {}), ErrorCode::kAlreadyExists);
  EXPECT_EQ(move({}, {"b"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(move({"a", "x"}, {"a", "x", "y"}), ErrorCode::kInvalidArgument);
}

// NS-01: a scope is a subtree, not a prefix of characters.
TEST(Trie, NeighboursWithTheSameBeginningAreOutside) {
  Trie trie;
  add_one(trie, {"a", "b", "x.md"}, 0);
  add_one(trie, {"a", "bc", "y.md"}, 1);
  add_one(trie, {"a", "b-old", "z.md"}, 2);
  const NodeId b = trie.find({"a", "b"});
  EXPECT_EQ(trie.node(b).rows, RowSet::range(0, 1));
  EXPECT_FALSE(trie.is_within(trie.find({"a", "bc"}), b));
  trie.remove(b);
  EXPECT_EQ(trie.node(Trie::kRoot).rows, RowSet::range(1, 3));
}

class Replace : public ::testing::Test {
 protected:
  void SetUp() override {
    TrieAppender appender(trie_, 0);
    for (const Path& path : {Path{"first"}, Path{"d", "s", "1"}, Path{"d", "s", "2"},
                             Path{"d", "t", "1"}, Path{"d", "u"}, Path{"last"}}) {
      appender.add(path);
    }
    appender.finish();
  }
  std::vector<std::string> names(const Path& path) {
    std::vector<std::string> out;
    for (const NodeId id : trie_.children(trie_.find(path), 0, 100))
      out.emplace_back(trie_.name(id));
    return out;
  }
  Trie trie_;
};

TEST_F(Replace, KeepsIdsAndTakesTheNewOrder) {
  const NodeId kept = trie_.find({"d", "s", "2"}), directory = trie_.find({"d", "s"});
  const NodeId lost = trie_.find({"d", "t"});
  TrieAppender appender(trie_, 6);
  appender.replace(trie_.find({"d"}));
  appender.add({"d", "u"});
  appender.add({"d", "new", "1"});
  appender.add({"d", "s", "2"});
  appender.add({"d", "s", "0"});
  EXPECT_THROW(appender.add({"d", "s", "0"}), Error);
  const auto gone = appender.finish();
  EXPECT_EQ(std::set<NodeId>(gone.begin(), gone.end()).count(lost), 1u);
  EXPECT_EQ(gone.size(), 3u);  // s/1, t, t/1
  EXPECT_EQ(trie_.find({"d", "s", "2"}), kept);
  EXPECT_EQ(trie_.find({"d", "s"}), directory);
  EXPECT_EQ(names({}), (std::vector<std::string>{"first", "d", "last"}));
  EXPECT_EQ(names({"d"}), (std::vector<std::string>{"u", "new", "s"}));
  EXPECT_EQ(names({"d", "s"}), (std::vector<std::string>{"2", "0"}));
  EXPECT_EQ(trie_.node(trie_.find({"d"})).rows, RowSet::range(6, 10));
  EXPECT_EQ(trie_.node(Trie::kRoot).rows, RowSet::range(0, 1) | RowSet::range(5, 10));
}

TEST_F(Replace, AnObjectMayBecomeADirectoryAndBack) {
  TrieAppender appender(trie_, 6);
  appender.replace(trie_.find({"d"}));
  appender.add({"d", "u", "1"});
  appender.add({"d", "s"});
  appender.finish();
  EXPECT_EQ(names({"d"}), (std::vector<std::string>{"u", "s"}));
  EXPECT_TRUE(trie_.node(trie_.find({"d", "s"})).is_object);
  EXPECT_FALSE(trie_.node(trie_.find({"d", "u"})).is_object);
  EXPECT_EQ(trie_.size(), 7u);  // root, first, d, u, u/1, s, last
}

TEST_F(Replace, ByNothingRemoves) {
  TrieAppender appender(trie_, 6);
  appender.replace(trie_.find({"d"}));
  EXPECT_EQ(appender.finish().size(), 7u);  // d itself too
  EXPECT_EQ(trie_.find({"d"}), kNoNode);
  EXPECT_EQ(trie_.size(), 3u);
}

}  // namespace
}  // namespace knarr
