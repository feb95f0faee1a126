// CowTree: a sorted map that can be copied in O(1).
//
// It is a persistent B+-tree: nodes are reference-counted and shared between versions, and inner
// nodes count the entries below each child, so that it also answers `rank` and `at`. A copy shares
// every node. A change copies the shared nodes on the path from the root to the leaf (path copying:
// Driscoll et al., "Making Data Structures Persistent", JCSS 1989) and edits nodes in place that
// only this tree can reach. So the first edit after a copy costs O(log n) nodes, and many edits of
// one draft cost little more than in a mutable map.
//
// Invariants: keys are distinct and ascending; every leaf has the same depth; no node is empty;
// child i of an inner node holds keys k with keys[i] <= k < keys[i + 1] (keys[0] is not consulted).
//
// Threads: const methods of one tree may run in parallel. Trees that share nodes are independent:
// one may be written while others are read. Pointers and cursors are valid until their tree is
// changed or destroyed.
//
// `Less` may be transparent: lookups take anything that it can compare with K.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "base/ref.h"
#include "base/tree_erasing.h"
#include "base/tree_finding.h"
#include "base/tree_inserting.h"
#include "base/tree_making.h"
#include "base/tree_nodes.h"

namespace knarr {

template <class K, class V, class Less = std::less<>>
class CowTree {
  using Nodes = TreeNodes<K, V, Less>;
  using Finding = TreeFinding<K, V, Less>;
  using Erasing = TreeErasing<K, V, Less>;

 public:
  // A place in the tree, or its end.
  using Cursor = typename Finding::Cursor;

  // A tree of n entries, packed: next(i) gives entry i as a pair of key and value. It is called
  // with 0, 1, ... in order, and the keys ascend.
  template <class F>
  static CowTree of_sorted(std::size_t n, F&& next) {
    CowTree tree;
    tree.root_ = TreeMaking<K, V, Less>::make(n, std::forward<F>(next));
    tree.size_ = n;
    return tree;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The value of `key`, or nullptr.
  template <class Q>
  const V* find(const Q& key) const {
    return Finding::find(root_.get(), key);
  }

  template <class Q>
  bool contains(const Q& key) const {
    return find(key) != nullptr;
  }

  // Sets the value of `key`; true when the key is new.
  bool insert(K key, V value) {
    const bool fresh = TreeInserting<K, V, Less>::insert(root_, key, value);
    size_ += fresh ? 1 : 0;
    return fresh;
  }

  // The value of `key`, to be changed in place, or nullptr.
  template <class Q>
  V* edit(const Q& key) {
    if (!contains(key)) return nullptr;
    Ref<typename Nodes::Node>* slot = &root_;
    while (!Nodes::own(*slot).leaf) {
      slot = &static_cast<typename Nodes::Inner&>(**slot).children[Nodes::child_of(**slot, key)];
    }
    return &static_cast<typename Nodes::Leaf&>(**slot).values[Nodes::lower(**slot, key)];
  }

  // True when the key was there.
  template <class Q>
  bool erase(const Q& key) {
    if (!contains(key)) return false;
    Erasing::erase(root_, key);
    --size_;
    return true;
  }

  // Erases keys that are all present, in ascending order. Goes down once for keys that share a
  // path.
  template <class Q>
  void erase_each(std::span<const Q> keys) {
    if (keys.empty()) return;
    Erasing::erase_each(root_, keys);
    size_ -= keys.size();
  }

  // Erases the keys in [from, to) and returns how many there were. Subtrees that hold nothing else
  // are dropped whole: O(log n) when they are shared with another tree.
  template <class Q>
  std::size_t erase_range(const Q& from, const Q& to) {
    const std::size_t begin = rank(from), end = rank(to);
    if (begin >= end) return 0;
    Erasing::erase_range(root_, from, to);
    size_ -= end - begin;
    return end - begin;
  }

  Cursor begin() const { return at(0); }

  // At the first entry whose key is not less than `key`.
  template <class Q>
  Cursor lower_bound(const Q& key) const {
    return Finding::lower_bound(root_.get(), key);
  }

  // find(keys[i]) for each i, as out[i]. All keys go down together, level by level, so that cache
  // misses overlap: the cost is about one miss for each level, not one for each level and key.
  template <class Q>
  void find_each(std::span<const Q> keys, std::span<const V*> out) const {
    Finding::find_each(root_.get(), keys, out);
  }

  // lower_bound(keys[i]) for each i, as out[i]; side by side likewise.
  template <class Q>
  void lower_bounds(std::span<const Q> keys, std::span<Cursor> out) const {
    Finding::lower_bounds(root_.get(), keys, out);
  }

  // How many keys are less than `key`.
  template <class Q>
  std::size_t rank(const Q& key) const {
    return Finding::rank(root_.get(), key);
  }

  // At the entry with this rank; the end when there is none.
  Cursor at(std::size_t rank) const {
    return rank < size_ ? Finding::at(root_.get(), rank) : Cursor();
  }

  // Bytes of the nodes, shared ones included, without what keys and values own elsewhere. O(n).
  std::size_t size_bytes() const { return root_ ? Nodes::bytes_below(*root_) : 0; }

 private:
  Ref<typename Nodes::Node> root_;
  std::size_t size_ = 0;
};

}  // namespace knarr
