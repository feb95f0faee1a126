// Erasing from a CowTree: one key, many, or a range. A node that is left with few entries is merged
// with a neighbour that has room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/ref.h"
#include "base/tree_nodes.h"

namespace knarr {

template <class K, class V, class Less>
struct TreeErasing : TreeNodes<K, V, Less> {
  using Nodes = TreeNodes<K, V, Less>;
  using Nodes::child_of, Nodes::close_gap, Nodes::close_gaps, Nodes::fetched, Nodes::kFan;
  using Nodes::lower, Nodes::move_entries, Nodes::own, Nodes::total;
  using typename Nodes::Inner, typename Nodes::Leaf, typename Nodes::Node;

  static constexpr std::size_t kSparse =
      8;  // below this, a node is merged when a neighbour has room

  // The key is there.
  template <class Q>
  static void erase(Ref<Node>& root, const Q& key) {
    erase_below(root, key);
    settle_root(root);
  }

  // The keys are all there, and ascend; there is one at least.
  template <class Q>
  static void erase_each(Ref<Node>& root, std::span<const Q> keys) {
    erase_each_below(root, keys);
    settle_root(root);
  }

  // Some keys lie in [from, to).
  template <class Q>
  static void erase_range(Ref<Node>& root, const Q& from, const Q& to) {
    erase_range_below(root, from, to);
    settle_root(root);
  }

 private:
  template <class Q>
  static void erase_below(Ref<Node>& slot, const Q& key) {
    Node& node = own(slot);
    if (node.leaf) {
      const std::size_t at = lower(node, key);
      close_gap(static_cast<Leaf&>(node).values, node.n, at);
      close_gap(node.keys, node.n, at);
      --node.n;
      return;
    }
    auto& inner = static_cast<Inner&>(node);
    const std::size_t i = child_of(inner, key);
    erase_below(inner.children[i], key);
    --inner.sizes[i];
    settle_child(inner, i);
  }

  template <class Q>
  static void erase_each_below(Ref<Node>& slot, std::span<const Q> keys) {
    Node& node = own(slot);
    if (node.leaf) return erase_from_leaf(static_cast<Leaf&>(node), keys);
    auto& inner = static_cast<Inner&>(node);
    struct Part {
      std::size_t child, begin, end;
    };
    std::array<Part, kFan> parts;  // of the keys; from the last child to the first
    std::size_t n_parts = 0;
    for (std::size_t end = keys.size(); end > 0;) {
      const std::size_t i = child_of(inner, keys[end - 1]);
      std::size_t begin = end - 1;
      while (begin > 0 && (i == 0 || !Less{}(keys[begin - 1], inner.keys[i]))) --begin;
      fetched(inner.children[i].get());
      parts[n_parts++] = {i, begin, end};
      end = begin;
    }
    // Dropping or merging a child moves only later children, which are finished.
    for (std::size_t p = 0; p < n_parts; ++p) {
      const auto [i, begin, end] = parts[p];
      erase_each_below(inner.children[i], keys.subspan(begin, end - begin));
      inner.sizes[i] -= end - begin;
      settle_child(inner, i);
    }
  }

  template <class Q>
  static void erase_from_leaf(Leaf& leaf, std::span<const Q> keys) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < leaf.n; ++i) {
      if (!keys.empty() && !Less{}(leaf.keys[i], keys.front())) {
        keys = keys.subspan(1);
        continue;
      }
      if (kept < i) {
        leaf.keys[kept] = std::move(leaf.keys[i]);
        leaf.values[kept] = std::move(leaf.values[i]);
      }
      ++kept;
    }
    for (std::size_t i = kept; i < leaf.n; ++i) {
      leaf.keys[i] = K{};
      leaf.values[i] = V{};
    }
    leaf.n = static_cast<std::uint16_t>(kept);
  }

  template <class Q>
  static void erase_range_below(Ref<Node>& slot, const Q& from, const Q& to) {
    Node& node = own(slot);
    if (node.leaf) {
      const std::size_t begin = lower(node, from), end = lower(node, to);
      close_gaps(static_cast<Leaf&>(node).values, node.n, begin, end);
      close_gaps(node.keys, node.n, begin, end);
      node.n = static_cast<std::uint16_t>(node.n - (end - begin));
      return;
    }
    auto& inner = static_cast<Inner&>(node);
    const std::size_t first = child_of(inner, from);
    const std::size_t last = child_of(inner, to);
    erase_range_below(inner.children[first], from, to);
    inner.sizes[first] = total(*inner.children[first]);
    if (last != first) {
      erase_range_below(inner.children[last], from, to);
      inner.sizes[last] = total(*inner.children[last]);
      close_gaps(inner.keys, inner.n, first + 1, last);
      close_gaps(inner.children, inner.n, first + 1, last);
      close_gaps(inner.sizes, inner.n, first + 1, last);
      inner.n = static_cast<std::uint16_t>(inner.n - (last - first - 1));
      settle_child(inner, first + 1);
    }
    settle_child(inner, first);
  }

  // After entries left child i.
  static void settle_child(Inner& inner, std::size_t i) {
    if (inner.children[i]->n == 0) {
      drop_child(inner, i);
    } else if (inner.children[i]->n < kSparse) {
      if (!merge(inner, i)) merge(inner, i + 1);
    }
  }

  // After entries left the tree.
  static void settle_root(Ref<Node>& root) {
    while (!root->leaf && root->n == 1) {
      root = Ref<Node>(static_cast<Inner&>(*root).children[0]);
    }
    if (root->n == 0) root = Ref<Node>();
  }

  // Moves child `right` into its left neighbour when there is room.
  static bool merge(Inner& inner, std::size_t right) {
    if (right == 0 || right >= inner.n) return false;
    const std::size_t left = right - 1;
    if (inner.children[left]->n + inner.children[right]->n > kFan) return false;
    Node& into = own(inner.children[left]);
    Node& from = own(inner.children[right]);
    from.keys[0] = from.leaf ? std::move(from.keys[0]) : inner.keys[right];
    move_entries(from, 0, into);
    inner.sizes[left] += inner.sizes[right];
    drop_child(inner, right);
    return true;
  }

  static void drop_child(Inner& inner, std::size_t i) {
    close_gap(inner.keys, inner.n, i);
    close_gap(inner.children, inner.n, i);
    close_gap(inner.sizes, inner.n, i);
    --inner.n;
  }
};

}  // namespace knarr
