// Writing a run of new objects into a Trie.
//
// Objects get consecutive rows in the order in which they are added. Directories stay open while
// the paths go on below them and are told of their rows once, when they close; so a document costs
// one edit per node and one per ancestor, however many objects it has.
//
// With `replace`, what lay below a directory becomes stale: its rows are gone, its nodes wait. A
// path that is added again takes its waiting node over, id and all, and stands where it now comes
// in order; nodes that still wait at `finish` are erased.
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

  // Tells all directories of their rows. Returns the nodes that were erased.
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
  std::vector<NodeId> gone_;
};

}  // namespace knarr
