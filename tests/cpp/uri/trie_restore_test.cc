// A trie that is rebuilt from the list of its nodes.
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "trie_reference.h"
#include "uri/restore.h"

namespace knarr {
namespace {

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
