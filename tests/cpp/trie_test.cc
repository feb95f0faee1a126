// The trie against a dull twin: a list of (path, row) in order of creation.
#include "uri/trie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "uri/append.h"
#include "uri/restore.h"
#include "uri/uri_order.h"

namespace knarr {
namespace {

bool starts_with(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// Objects by path, and for every directory its children's names in order.
struct Twin {
  std::map<Path, Row> objects;
  std::map<Path, std::vector<std::string>> order{{Path{}, {}}};

  bool exists(const Path& path) const { return objects.contains(path) || order.contains(path); }
  bool blocked(const Path& path) const {  // an object stands in the way
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (objects.contains(Path(path.begin(), path.begin() + static_cast<long>(i)))) return true;
    }
    return false;
  }
  void link(const Path& path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      const Path parent(path.begin(), path.begin() + static_cast<long>(i));
      auto& names = order[parent];
      if (std::ranges::find(names, path[i]) == names.end()) names.push_back(path[i]);
    }
  }
  void unlink(const Path& path) {  // and the directories left empty
    Path parent = path;
    while (!parent.empty()) {
      const std::string name = parent.back();
      parent.pop_back();
      std::erase(order[parent], name);
      if (!order[parent].empty() || parent.empty()) break;
      order.erase(parent);
    }
  }
  void add(const Path& path, Row row) {
    objects[path] = row;
    link(path);
  }
  std::set<Row> rows(const Path& scope) const {
    std::set<Row> out;
    for (const auto& [path, row] : objects) {
      if (starts_with(path, scope)) out.insert(row);
    }
    return out;
  }
  void remove(const Path& scope) {
    std::erase_if(objects, [&](const auto& item) { return starts_with(item.first, scope); });
    std::erase_if(order, [&](const auto& item) {
      return !item.first.empty() && starts_with(item.first, scope);
    });
    if (scope.empty()) order[{}].clear();
    unlink(scope);
  }
  template <class Map>
  static void rename(Map& map, const Path& from, const Path& to) {
    Map out;
    for (auto& [path, value] : map) {
      Path name = path;
      if (starts_with(path, from)) {
        name = to;
        name.insert(name.end(), path.begin() + static_cast<long>(from.size()), path.end());
      }
      out.emplace(std::move(name), value);
    }
    map = std::move(out);
  }
  void move(const Path& from, const Path& to) {
    rename(objects, from, to);
    rename(order, from, to);
    link(to);
    unlink(from);
  }
};

RowSet make(const std::set<Row>& rows) {
  RowSet out;
  for (const Row row : rows) out.add_range(row, row + 1);
  return out;
}

void expect_equal(const Trie& trie, const Twin& twin) {
  ASSERT_EQ(trie.size(), twin.objects.size() + twin.order.size());
  for (const auto& [path, row] : twin.objects) {
    const NodeId id = trie.find(path);
    ASSERT_NE(id, kNoNode);
    ASSERT_TRUE(trie.node(id).is_object);
    ASSERT_EQ(trie.node(id).rows, RowSet::range(row, row + 1));
    ASSERT_EQ(trie.path(id), path);
    ASSERT_EQ(trie.uri(id), format_uri(path, false));
  }
  for (const auto& [path, names] : twin.order) {
    const NodeId id = trie.find(path);
    ASSERT_NE(id, kNoNode) << format_uri(path, true);
    ASSERT_FALSE(trie.node(id).is_object);
    ASSERT_EQ(trie.node(id).rows, make(twin.rows(path)));
    ASSERT_EQ(trie.child_count(id), names.size());
    std::vector<std::string> got;
    for (const NodeId each : trie.children(id, 0, 1000)) got.emplace_back(trie.name(each));
    ASSERT_EQ(got, names) << format_uri(path, true);
    got.clear();
    for (const NodeId each : trie.children(id, 1, 2)) got.emplace_back(trie.name(each));
    const auto begin = std::min<std::size_t>(1, names.size()),
               end = std::min<std::size_t>(3, names.size());
    ASSERT_EQ(got, std::vector(names.begin() + static_cast<long>(begin),
                               names.begin() + static_cast<long>(end)));
  }
}

class Names {
 public:
  explicit Names(unsigned seed) : random_(seed) {}
  Path path(std::size_t min_depth) {
    static const std::vector<std::string> kNames = {"a", "b", "bc", "b-old", "b/", "测", "x.md"};
    Path path(min_depth + random_() % (5 - min_depth));
    for (auto& name : path) name = kNames[random_() % kNames.size()];
    return path;
  }
  unsigned next(unsigned below) { return static_cast<unsigned>(random_() % below); }

 private:
  std::mt19937 random_;
};

NodeId add_one(Trie& trie, const Path& path, Row row) {
  TrieAppender appender(trie, row);
  const NodeId id = appender.add(path);
  appender.finish();
  return id;
}

TEST(Trie, RandomEditsMatchTheTwin) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Names names(seed);
    Trie trie;
    Twin twin;
    Row next = 0;
    std::vector<std::pair<Trie, Twin>> kept;
    for (int step = 0; step < 400; ++step) {
      const Path path = names.path(1);
      const NodeId id = trie.find(path);
      ASSERT_EQ(id != kNoNode, twin.exists(path));
      const unsigned action = names.next(10);
      if (action < 6 && !twin.exists(path) && !twin.blocked(path)) {
        add_one(trie, path, next);
        twin.add(path, next++);
      } else if (action < 8 && id != kNoNode) {
        const std::size_t before = trie.size();
        const auto gone = trie.remove(id);
        ASSERT_EQ(trie.size() + gone.size(), before);
        twin.remove(path);
      } else if (id != kNoNode) {
        const Path target = names.path(1);
        if (twin.exists(target) || twin.blocked(target) || starts_with(target, path)) {
          Trie draft = trie;
          EXPECT_THROW(draft.move(id, target), Error);
        } else {
          trie.move(id, target);
          twin.move(path, target);
          ASSERT_EQ(trie.find(target), id) << "a node keeps its id";
        }
      }
      if (step % 20 == 0) expect_equal(trie, twin);
      if (step % 100 == 0) kept.emplace_back(trie, twin);
    }
    expect_equal(trie, twin);
    for (const auto& [old_trie, old_twin] : kept) expect_equal(old_trie, old_twin);
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
      const NodeId twin = run.find(one_by_one.path(id));
      ASSERT_NE(twin, kNoNode);
      ASSERT_EQ(run.node(twin).rows, one_by_one.node(id).rows);
      ASSERT_EQ(run.child_count(twin), one_by_one.child_count(id));
    }
  }
}

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::kIo;
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

TEST(Trie, PlainUrisAreFoundAsParsedOnes) {
  Trie trie;
  TrieAppender appender(trie, 0);
  Path deep;
  for (int i = 0; i < 40; ++i) deep.push_back("d" + std::to_string(i));
  for (const Path& path : {Path{"a", "b", "c"}, Path{"a", "x y"}, Path{"a", "50% off"}, Path{"é"},
                           Path{"a\\b"}, Path{"a", "b/c"}, deep}) {
    appender.add(path);
  }
  appender.finish();
  const auto parsed = [&](std::string_view uri) {
    try {
      return trie.find(parse_uri(uri));
    } catch (const Error&) {
      return kNoNode;
    }
  };
  const std::vector<std::string_view> uris{"viking://",
                                           "viking:///",
                                           "viking:////",
                                           "viking://a",
                                           "viking://a/",
                                           "viking://a//",
                                           "viking://a/b/c",
                                           "viking://a/b/c/",
                                           "viking://a//b",
                                           "viking:///a",
                                           "viking://a/b/d",
                                           "viking://a/x y",
                                           "viking://é",
                                           "viking://a\\b",
                                           "viking://a/.",
                                           "viking://a/..",
                                           "viking:/a",
                                           "a",
                                           "",
                                           "viking://b"};
  const std::vector<NodeId> together = trie.find_plain_each(uris);
  for (std::size_t i = 0; i < uris.size(); ++i) {
    EXPECT_EQ(trie.find_plain(uris[i]), parsed(uris[i])) << uris[i];
    EXPECT_EQ(together[i], parsed(uris[i])) << uris[i];
  }
  EXPECT_EQ(trie.find_plain("viking://a/50%25 off"), kNoNode);  // for parse_uri to tell
  EXPECT_EQ(trie.find_plain("viking://" + std::string(kMaxUriBytes, 'a')), kNoNode);
  for (const NodeId id : trie.subtree(Trie::kRoot)) {
    EXPECT_EQ(trie.uri(id), format_uri(trie.path(id), !trie.node(id).is_object));
    if (id == Trie::kRoot) continue;
    EXPECT_EQ(trie.uri_below(trie.uri(trie.node(id).parent), id), trie.uri(id));
  }
}

TEST(Trie, OrderOfUrisIsThatOfTheirStrings) {
  Names names(3);
  Trie trie;
  for (Row row = 0; row < 1000; ++row) {
    Trie draft = trie;
    try {
      add_one(draft, names.path(1), row);
      trie = draft;
    } catch (const Error&) {
    }
  }
  std::vector<NodeId> objects;
  for (const NodeId id : trie.subtree(Trie::kRoot)) {
    if (trie.node(id).is_object) objects.push_back(id);
  }
  ASSERT_GT(objects.size(), 50u);
  for (const NodeId a : objects) {
    for (const NodeId b : objects) {
      if (a != b) {
        EXPECT_EQ(trie.uri_before(a, b), trie.uri(a) < trie.uri(b)) << trie.uri(a) << trie.uri(b);
      }
    }
  }
  const std::vector<NodeId> all = trie.subtree(Trie::kRoot);  // the ancestors of others, too
  const UriOrder before(trie, trie.get_each(all));
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      EXPECT_EQ(before(a, b), trie.uri(all[a]) < trie.uri(all[b])) << all[a] << " " << all[b];
    }
  }
  EXPECT_EQ(trie.get_each(std::vector<NodeId>{all[1], kNoNode}),
            (std::vector<const TrieNode*>{trie.get(all[1]), nullptr}));
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

TEST(Trie, RestoreRebuilds) {
  Names names(9);
  Trie trie;
  for (Row row = 0; row < 100; ++row) {
    Trie draft = trie;
    try {
      add_one(draft, names.path(1), row);
      trie = draft;
    } catch (const Error&) {
    }
  }
  trie.move(trie.children(Trie::kRoot, 0, 1).front(), {"moved", "there"});  // ids in no order
  std::vector<NodeId> ids = trie.subtree(Trie::kRoot);
  ids.erase(ids.begin());
  const auto restored = [&](const std::function<void(TrieRestorer&)>& more, NodeId next_id) {
    TrieRestorer restorer(ids.size(), nullptr);
    for (const NodeId id : ids) {
      const TrieNode& node = trie.node(id);
      const Row row = node.is_object ? node.rows.first() : kNoRow;
      restorer.add(id, node.parent, trie.name(id), row);
    }
    more(restorer);
    return restorer.finish(next_id);
  };
  const NodeId next_id = trie.next_id();
  Trie back = restored([](TrieRestorer&) {}, next_id);
  EXPECT_EQ(back.subtree(Trie::kRoot), trie.subtree(Trie::kRoot));
  for (const NodeId id : trie.subtree(Trie::kRoot)) {
    EXPECT_EQ(back.node(id).rows, trie.node(id).rows);
    EXPECT_EQ(back.uri(id), trie.uri(id));
    EXPECT_EQ(back.find(trie.path(id)), id);
  }
  add_one(back, {"new", "object"}, 1000);
  EXPECT_EQ(back.remove(back.find({"new"})).size(), 2u);
  const std::string name(trie.name(ids.front()));
  EXPECT_THROW(restored([&](TrieRestorer& r) { r.add(ids[0], 0, "fresh", 500); }, next_id), Error);
  EXPECT_THROW(restored([&](TrieRestorer& r) { r.add(next_id, 0, name, 500); }, next_id + 1),
               Error);
  EXPECT_THROW(restored([&](TrieRestorer& r) { r.add(next_id, 0, "x", 500); }, next_id), Error);
  EXPECT_THROW(restored([&](TrieRestorer& r) { r.add(next_id, 0, "x", kNoRow); }, next_id + 1),
               Error);
  EXPECT_THROW(restored([&](TrieRestorer& r) { r.add(next_id, 7777, "x", 500); }, next_id + 1),
               Error);
}

}  // namespace
}  // namespace knarr
