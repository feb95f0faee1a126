// Inserting into a CowTree: down to the leaf, and up again where full nodes split.
#pragma once

#include <cstddef>
#include <utility>

#include "base/ref.h"
#include "base/tree_nodes.h"

namespace knarr {

template <class K, class V, class Less>
struct TreeInserting : TreeNodes<K, V, Less> {
  using Nodes = TreeNodes<K, V, Less>;
  using Nodes::child_of, Nodes::hit, Nodes::kFan, Nodes::lower, Nodes::move_entries;
  using Nodes::open_gap, Nodes::own, Nodes::total;
  using typename Nodes::Inner, typename Nodes::Leaf, typename Nodes::Node;

  // Sets the value of `key` below a root, which may be null; true when the key is new.
  static bool insert(Ref<Node>& root, K& key, V& value) {
    if (!root) root = Ref<Node>(new Leaf);
    bool fresh = false;
    Split split = insert_below(root, key, value, fresh);
    if (split.right) {
      auto* top = new Inner;
      Ref<Node> holder(top);
      top->n = 2;
      top->keys[1] = std::move(split.key);
      top->children[0] = std::move(root);
      top->children[1] = std::move(split.right);
      top->sizes[0] = total(*top->children[0]);
      top->sizes[1] = total(*top->children[1]);
      root = std::move(holder);
    }
    return fresh;
  }

 private:
  struct Split {
    K key{};
    Ref<Node> right;  // null when nothing was split
  };

  // Splits a full node before an insertion at `at`. Insertion at the very end keeps the left node
  // full: keys that arrive in order pack the leaves.
  static Split split_full(Node& node, std::size_t at) {
    const std::size_t cut = at == kFan ? kFan - 1 : kFan / 2;
    Split split{node.keys[cut], node.leaf ? Ref<Node>(new Leaf) : Ref<Node>(new Inner)};
    move_entries(node, cut, *split.right);
    return split;
  }

  static Split insert_below(Ref<Node>& slot, K& key, V& value, bool& fresh) {
    Node& node = own(slot);
    return node.leaf ? insert_in_leaf(static_cast<Leaf&>(node), key, value, fresh)
                     : insert_in_inner(static_cast<Inner&>(node), key, value, fresh);
  }

  static Split insert_in_leaf(Leaf& leaf, K& key, V& value, bool& fresh) {
    std::size_t at = lower(leaf, key);
    if (hit(leaf, at, key)) {
      leaf.values[at] = std::move(value);
      return {};
    }
    fresh = true;
    Split split;
    Leaf* target = &leaf;
    if (leaf.n == kFan) {
      split = split_full(leaf, at);
      if (at > leaf.n) {
        at -= leaf.n;
        target = static_cast<Leaf*>(split.right.get());
      }
    }
    open_gap(target->keys, target->n, at);
    open_gap(target->values, target->n, at);
    target->keys[at] = std::move(key);
    target->values[at] = std::move(value);
    ++target->n;
    return split;
  }

  static Split insert_in_inner(Inner& inner, K& key, V& value, bool& fresh) {
    std::size_t i = child_of(inner, key);
    Split below = insert_below(inner.children[i], key, value, fresh);
    if (!below.right) {
      inner.sizes[i] += fresh ? 1 : 0;
      return {};
    }
    inner.sizes[i] = total(*inner.children[i]);
    std::size_t at = i + 1;
    Split split;
    Inner* target = &inner;
    if (inner.n == kFan) {
      split = split_full(inner, at);
      if (at > inner.n) {
        at -= inner.n;
        target = static_cast<Inner*>(split.right.get());
      }
    }
    open_gap(target->keys, target->n, at);
    open_gap(target->children, target->n, at);
    open_gap(target->sizes, target->n, at);
    target->keys[at] = std::move(below.key);
    target->sizes[at] = total(*below.right);
    target->children[at] = std::move(below.right);
    ++target->n;
    return split;
  }
};

}  // namespace knarr
