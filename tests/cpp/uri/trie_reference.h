// A reference model of the trie: a map from path to row, and each directory's children in order.
// Tests apply the same operations to both and compare; `Names` makes paths for them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "uri/append.h"
#include "uri/trie.h"

namespace knarr {

inline bool starts_with(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// Objects by path, and for every directory its children's names in order.
struct ReferenceTrie {
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

inline RowSet row_set(const std::set<Row>& rows) {
  RowSet out;
  for (const Row row : rows) out.add_range(row, row + 1);
  return out;
}

inline void expect_equal(const Trie& trie, const ReferenceTrie& reference) {
  ASSERT_EQ(trie.size(), reference.objects.size() + reference.order.size());
  for (const auto& [path, row] : reference.objects) {
    const NodeId id = trie.find(path);
    ASSERT_NE(id, kNoNode);
    ASSERT_TRUE(trie.node(id).is_object);
    ASSERT_EQ(trie.node(id).rows, RowSet::range(row, row + 1));
    ASSERT_EQ(trie.path(id), path);
    ASSERT_EQ(trie.uri(id), format_uri(path, false));
  }
  for (const auto& [path, names] : reference.order) {
    const NodeId id = trie.find(path);
    ASSERT_NE(id, kNoNode) << format_uri(path, true);
    ASSERT_FALSE(trie.node(id).is_object);
    ASSERT_EQ(trie.node(id).rows, row_set(reference.rows(path)));
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

inline NodeId add_one(Trie& trie, const Path& path, Row row) {
  TrieAppender appender(trie, row);
  const NodeId id = appender.add(path);
  appender.finish();
  return id;
}

}  // namespace knarr
