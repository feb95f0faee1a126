// The namespace: a tree of named nodes, and for each the rows below it.
//
// A leaf is an object and has one row; an inner node is a directory. A directory exists exactly as
// long as an object lies under it (the root always does), so the namespace is a function of its
// objects and their order. Children keep the order in which they were added. Every node carries the
// set of its subtree's rows, which edits keep true along the ancestors only; so a scope costs a
// path lookup, and the root's rows are the live rows.
//
// A Trie is a value: copying is O(1), and copies are independent (see base/tree.h). Editing one
// Trie needs one thread; const methods may run in parallel. A method that throws may leave the
// Trie half edited: edit a copy and drop it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "base/shared_text.h"
#include "base/tree.h"
#include "base/types.h"
#include "filter/rows.h"
#include "uri/uri.h"

namespace knarr {

// Name: the decoded name of a node. Copies share its bytes.
//
// It owns its bytes, or views bytes whose owner outlives it: names in a mapped file are not copied.
// Immutable; any thread.
class Name {
 public:
  Name() = default;  // empty
  static Name copy(std::string_view text) {
    Name name;
    name.own_ = SharedText::make(text);
    name.text_ = name.own_->text;
    return name;
  }
  static Name in_place(std::string_view text) {
    Name name;
    name.text_ = text;
    return name;
  }

  std::string_view text() const { return text_; }
  // Memory of the bytes.
  std::size_t size_bytes() const { return own_ ? own_->size_bytes() : text_.size(); }

 private:
  Ref<const SharedText> own_;
  std::string_view text_;
};

struct TrieNode {
  NodeId parent = kNoNode;
  bool is_object = false;
  std::uint64_t ordinal = 0;       // place among its siblings
  std::uint64_t next_ordinal = 0;  // of its next child
  Name name;                       // empty for the root
  RowSet rows;                     // of the whole subtree
};

class Trie {
 public:
  static constexpr NodeId kRoot = 0;

  Trie();

  // The node of a path; kNoNode when there is none. O(depth * log n), like all below.
  NodeId find(const Path& path) const;
  // The node of a URI that is written without escapes, found without a copy of its parts; kNoNode
  // when there is none, or when only parse_uri can decide.
  NodeId find_plain(std::string_view uri) const;
  // find_plain of each, which takes less time together.
  std::vector<NodeId> find_plain_each(std::span<const std::string_view> uris) const;
  NodeId child(NodeId parent, std::string_view name) const;
  bool contains(NodeId node) const { return nodes_.contains(node); }
  const TrieNode& node(NodeId node) const;  // the node must exist; see also get()
  const TrieNode* get(NodeId node) const { return nodes_.find(node); }
  // get() of each, which takes less time together.
  std::vector<const TrieNode*> get_each(std::span<const NodeId> nodes) const;
  std::size_t size() const { return nodes_.size(); }  // nodes, the root included

  std::string_view name(NodeId node) const;  // decoded; empty for the root
  Path path(NodeId node) const;
  std::string uri(NodeId node) const;  // directories end in `/`
  // The URI of a child of the directory that has this URI.
  std::string uri_below(std::string_view directory, NodeId child) const;
  bool is_within(NodeId node, NodeId ancestor) const;  // a node is within itself

  // True when a's URI, as a string of bytes, sorts before b's. The nodes must differ, and neither
  // may be within the other.
  bool uri_before(NodeId a, NodeId b) const;

  std::size_t child_count(NodeId node) const;
  // Up to `limit` children from the `offset`-th on, in their order.
  std::vector<NodeId> children(NodeId node, std::size_t offset, std::size_t limit) const;
  // A node and all below it; parents before children, children in order.
  std::vector<NodeId> subtree(NodeId node) const;

  // Takes a subtree out, with the directories that it leaves empty. Returns the nodes that went.
  // The root cannot be removed; its children can.
  std::vector<NodeId> remove(NodeId node);

  // Gives a subtree another path; it becomes the last child there. Missing parents are made, empty
  // ones left behind go (they are returned). No row changes, and no node id of the subtree.
  // Throws kAlreadyExists when `target` exists; kInvalidArgument when it lies within the subtree
  // or below an object, or when `node` is the root.
  std::vector<NodeId> move(NodeId node, const Path& target);

  NodeId next_id() const { return next_id_; }  // ids are below it

  // Memory of the nodes and their names, and of the sets of rows that nodes hold. O(n).
  std::size_t size_bytes() const;
  std::size_t rows_size_bytes() const;

 private:
  friend class TrieAppender;
  friend class TrieRestorer;
  // Children by the hash of their name: few have the same one, and the name itself decides.
  struct NameKey {
    NodeId parent = kNoNode;
    std::uint32_t hash = 0;
    NodeId id = 0;
    auto operator<=>(const NameKey&) const = default;
  };
  struct Nothing {};
  struct OrderKey {
    NodeId parent = kNoNode;
    std::uint64_t ordinal = 0;
    auto operator<=>(const OrderKey&) const = default;
  };
  struct Child {
    NodeId id = kNoNode;
    bool is_object = false;
  };

  static std::uint32_t hash_of(std::string_view name);
  NodeId create(NodeId parent, std::string_view name, bool is_object, RowSet rows = {});
  NodeId open_directory(NodeId parent, std::string_view name);  // found or made; not an object
  void insert(NodeId node, NodeId parent, TrieNode record);     // a new node, as the last child
  void attach(NodeId node, NodeId parent, Name name);           // likewise, one that is there
  void detach(NodeId node);                                     // from its parent's indexes
  void erase(NodeId node);                                      // detach and forget
  void erase_all(std::vector<NodeId> nodes);                    // a subtree that was detached
  void prune(NodeId directory, std::vector<NodeId>& erased);    // it and its ancestors, while empty
  void add_rows(NodeId from, NodeId below, const RowSet& rows);     // from, up to below (excluded)
  void remove_rows(NodeId from, NodeId below, const RowSet& rows);  // likewise
  NodeId common_ancestor(NodeId a, NodeId b) const;
  std::vector<NodeId> ancestors(NodeId node) const;  // the node first, the root last
  [[noreturn]] void refuse_below_object(NodeId object) const;

  CowTree<NodeId, TrieNode> nodes_;
  CowTree<NameKey, Nothing> names_;
  CowTree<OrderKey, Child> order_;
  std::shared_ptr<const void> names_owner_;  // of names that are in place
  NodeId next_id_ = 1;
};

}  // namespace knarr
