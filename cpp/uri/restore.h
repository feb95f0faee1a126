// TrieRestorer: builds a Trie from a list of all its nodes, without a search for each.
//
// The list is in document order, as Trie::subtree gives it: a directory, then all nodes below it,
// children in order. The list is not trusted: anything but a tree of objects throws Error
// kCorruption.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "uri/trie.h"

namespace knarr {

class TrieRestorer {
 public:
  // `nodes` is an estimate of their number without the root, which exists already. `names` owns the
  // bytes of the names that will be added, which are not copied.
  TrieRestorer(std::size_t nodes, std::shared_ptr<const void> names);

  // The next node; `row` is kNoRow for a directory.
  void add(NodeId id, NodeId parent, std::string_view name, Row row);

  // Every id must be below `next_id`. At most once. A large trie is built by two threads.
  Trie finish(NodeId next_id);

 private:
  using Index = std::uint32_t;  // in entries_
  using Indexes = LargeVector<Index>;
  struct Entry {
    NodeId id;
    Index parent;
    std::uint32_t ordinal;
    std::uint32_t children;
    std::uint32_t
        place;  // the row of an object; of a directory, where in directories_ its rows are
    bool is_object;
    std::string_view name;
  };

  void close();  // the innermost open directory
  Indexes by_id(NodeId next_id) const;
  Indexes by_parent(const Indexes& by_id) const;
  TrieNode node(const Entry& entry);
  void restore_names(Trie& trie, const Indexes& children) const;
  void sort_names(std::uint64_t* first, std::uint64_t* last) const;

  LargeVector<Entry> entries_;
  std::vector<RowSet> directories_;  // their rows
  std::vector<Index> open_;          // the directories that may get more
  std::shared_ptr<const void> names_;
  bool is_ascending_ = true;  // the ids, so far
};

}  // namespace knarr
