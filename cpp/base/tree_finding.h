// Finding in a CowTree: one key, many side by side, a rank; and the cursor that goes on from there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/tree_nodes.h"

namespace knarr {

template <class K, class V, class Less>
struct TreeFinding : TreeNodes<K, V, Less> {
  using Nodes = TreeNodes<K, V, Less>;
  using Nodes::child, Nodes::child_of, Nodes::fetch, Nodes::fetched, Nodes::hit, Nodes::lower;
  using typename Nodes::Inner, typename Nodes::Leaf, typename Nodes::Node;

  static constexpr std::size_t kHeight = 16;  // 8^16 entries are more than memory holds

  // A place in the tree, or its end.
  class Cursor {
   public:
    bool valid() const { return depth_ > 0; }
    const K& key() const { return leaf().keys[top().index]; }
    const V& value() const { return leaf().values[top().index]; }
    void next() {
      ++path_[depth_ - 1].index;
      settle();
    }

   private:
    friend TreeFinding;
    struct Step {
      const Node* node;
      std::size_t index;
    };
    const Step& top() const { return path_[depth_ - 1]; }
    const Leaf& leaf() const { return static_cast<const Leaf&>(*top().node); }
    // Prefetches the next leaf when few entries follow in this one.
    void fetch_next() const {
      constexpr std::size_t kMuch = 12;
      if (depth_ < 2 || top().index + kMuch < top().node->n) return;
      const Step& above = path_[depth_ - 2];
      if (above.index + 1 < above.node->n) fetched(&child(*above.node, above.index + 1));
    }
    void push(const Node* node, std::size_t index) { path_[depth_++] = {node, index}; }
    // From "past the last entry of some nodes" to the next entry, or to the end.
    void settle() {
      while (depth_ > 0 && top().index == top().node->n) {
        if (--depth_ > 0) ++path_[depth_ - 1].index;
      }
      while (depth_ > 0 && !top().node->leaf) {
        push(static_cast<const Inner*>(top().node)->children[top().index].get(), 0);
      }
    }

    std::array<Step, kHeight> path_{};
    std::size_t depth_ = 0;
  };

  // The lookups of CowTree, below a root; null is that of an empty tree.
  template <class Q>
  static const V* find(const Node* node, const Q& key) {
    if (node == nullptr) return nullptr;
    while (!node->leaf) {
      node = static_cast<const Inner*>(node)->children[child_of(*node, key)].get();
    }
    const std::size_t i = lower(*node, key);
    return hit(*node, i, key) ? &static_cast<const Leaf*>(node)->values[i] : nullptr;
  }

  template <class Q>
  static Cursor lower_bound(const Node* node, const Q& key) {
    Cursor cursor;
    if (node == nullptr) return cursor;
    while (!node->leaf) {
      const std::size_t i = child_of(*node, key);
      cursor.push(node, i);
      node = fetched(&child(*node, i));
    }
    cursor.push(node, lower(*node, key));
    cursor.settle();
    return cursor;
  }

  template <class Q>
  static void find_each(const Node* root, std::span<const Q> keys, std::span<const V*> out) {
    constexpr std::size_t kAbreast = 32;
    std::array<const Node*, kAbreast> at;
    for (std::size_t first = 0; first < keys.size(); first += kAbreast) {
      const auto some = keys.subspan(first, std::min(kAbreast, keys.size() - first));
      at.fill(root);
      while (at[0] != nullptr && !at[0]->leaf) {
        for (std::size_t i = 0; i < some.size(); ++i) {
          at[i] = fetched(&child(*at[i], child_of(*at[i], some[i])));
        }
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::size_t place = at[i] == nullptr ? 0 : lower(*at[i], some[i]);
        const bool is_there = at[i] != nullptr && hit(*at[i], place, some[i]);
        out[first + i] = is_there ? &static_cast<const Leaf*>(at[i])->values[place] : nullptr;
        if (is_there) fetch(out[first + i], sizeof(V));
      }
    }
  }

  template <class Q>
  static void lower_bounds(const Node* root, std::span<const Q> keys, std::span<Cursor> out) {
    if (keys.empty()) return;
    for (Cursor& each : out) each = Cursor();
    if (root == nullptr) return;
    for (Cursor& each : out) each.push(root, 0);
    while (!out[0].top().node->leaf) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        auto& step = out[i].path_[out[i].depth_ - 1];
        step.index = child_of(*step.node, keys[i]);
        out[i].push(fetched(&child(*step.node, step.index)), 0);
      }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto& step = out[i].path_[out[i].depth_ - 1];
      step.index = lower(*step.node, keys[i]);
      out[i].fetch_next();
      out[i].settle();
    }
  }

  template <class Q>
  static std::size_t rank(const Node* node, const Q& key) {
    std::size_t before = 0;
    if (node == nullptr) return 0;
    while (!node->leaf) {
      const auto& inner = static_cast<const Inner&>(*node);
      const std::size_t i = child_of(*node, key);
      for (std::size_t j = 0; j < i; ++j) before += inner.sizes[j];
      node = inner.children[i].get();
    }
    return before + lower(*node, key);
  }

  // At the entry with this rank, which there is.
  static Cursor at(const Node* node, std::size_t rank) {
    Cursor cursor;
    while (!node->leaf) {
      const auto& inner = static_cast<const Inner&>(*node);
      std::size_t i = 0;
      for (; rank >= inner.sizes[i]; ++i) rank -= inner.sizes[i];
      cursor.push(node, i);
      node = inner.children[i].get();
    }
    cursor.push(node, rank);
    return cursor;
  }
};

}  // namespace knarr
