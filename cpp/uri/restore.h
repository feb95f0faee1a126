// Building a Trie from a list of all its nodes, without a search for each.
//
// The list is in document order, as Trie::subtree gives it: a directory, then all that lies below
// it, children in order. Nothing of it is believed: what is no tree of objects throws Error
// kCorruption.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "uri/trie.h"

namespace knarr {

class TrieRestorer {
 public:
  // For about so many nodes; the root is there already.
  explicit TrieRestorer(std::size_t nodes);

  // The next node; `row` is kNoRow for a directory.
  void add(NodeId id, NodeId parent, std::string_view name, Row row);

  // Every id must be below `next_id`. At most once.
  Trie finish(NodeId next_id);

 private:
  struct Entry {
    NodeId id;
    std::size_t parent;  // its place in entries_
    TrieNode node;
  };
  struct Named {
    std::uint32_t hash;
    const Entry* entry;
  };

  void close();
  std::vector<Entry*> sorted(NodeId next_id);
  std::vector<const Entry*> by_parent(const std::vector<Entry*>& by_id) const;
  static void sort_names(std::vector<Named>& names, std::size_t begin, std::size_t end);

  std::vector<Entry> entries_;
  std::vector<std::size_t> open_;  // places of the directories that may get more
};

}  // namespace knarr
