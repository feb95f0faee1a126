// TrieAppender: adds a run of new objects to a Trie.
//
// Objects get consecutive rows in the order in which they are added. A directory stays open while
// paths below it follow, and gets its range of rows once, when it closes. So a document costs one
// edit for each node and one for each ancestor, however many objects it has.
//
// With `replace`, the nodes below a directory lose their rows and become stale. A path that is
// added again reuses its stale node with its id, at its new place in the order; nodes that are
// still stale at `finish` are erased.
#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "uri/trie.h"

namespace knarr {

class TrieAppender {
 public:
  // The trie must outlive the appender and be edited by nobody else until `finish`.
  TrieAppender(Trie& trie, Row first_row);

  // At most once, before the first add. `directory` keeps its place among its siblings.
  void replace(NodeId directory);

  // Throws kAlreadyExists when the object is there, kInvalidArgument when the path is a directory
  // or leads through an object.
  NodeId add(const Path& path);

  // Gives all directories their rows. Returns the nodes that were erased.
  std::vector<NodeId> finish();

 private:
  struct Open {
    NodeId node;
    Row begin;  // its rows of this run are [begin, next_)
  };

  void close_below(std::size_t depth);
  NodeId directory(NodeId parent, std::string_view name);
  NodeId object(NodeId parent, std::string_view name);
  bool take_over(NodeId node, bool is_object);  // false: it was erased, or is not stale
  void reorder(NodeId node);

  Trie& trie_;
  Row next_;
  std::vector<Open> open_;  // the root first
  Path open_path_;          // names of open_[1..]
  NodeId replaced_ = kNoNode;
  std::unordered_set<NodeId> stale_;
  std::vector<NodeId> erased_;
};

}  // namespace knarr
