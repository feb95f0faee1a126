// Bulk-loading a CowTree from sorted entries: packed nodes, level by level.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "base/object_pool.h"
#include "base/ref.h"
#include "base/tree_nodes.h"

namespace knarr {

template <class K, class V, class Less>
struct TreeMaking : TreeNodes<K, V, Less> {
  using Nodes = TreeNodes<K, V, Less>;
  using Nodes::kFan, Nodes::total;
  using typename Nodes::Inner, typename Nodes::Leaf, typename Nodes::Node;

  static constexpr std::size_t kPooled = 100'000;  // entries made at once that get a pool

  // The root of n entries, null for none: next(i) gives entry i as a pair of key and value. It is
  // called with 0, 1, ... in order, and the keys ascend.
  template <class F>
  static Ref<Node> make(std::size_t n, F&& next) {
    ObjectPool pool;
    std::vector<Ref<Node>> level;
    level.reserve(n / kFan + 1);
    for (std::size_t i = 0; i < n;) {
      auto* leaf = n < kPooled ? new Leaf : new (pool) Leaf;
      leaf->pooled = n >= kPooled;
      level.emplace_back(leaf);
      for (; leaf->n < kFan && i < n; ++leaf->n) {
        std::tie(leaf->keys[leaf->n], leaf->values[leaf->n]) = next(i++);
      }
    }
    while (level.size() > 1) level = inner_level(level);
    return n > 0 ? std::move(level.front()) : Ref<Node>();
  }

 private:
  // The nodes above those of a level. Each knows its least key, so that one above can be made.
  static std::vector<Ref<Node>> inner_level(std::vector<Ref<Node>>& below) {
    std::vector<Ref<Node>> level;
    level.reserve(below.size() / kFan + 1);
    for (std::size_t i = 0; i < below.size();) {
      auto* inner = new Inner;
      level.emplace_back(inner);
      for (; inner->n < kFan && i < below.size(); ++inner->n, ++i) {
        inner->keys[inner->n] = below[i]->keys[0];
        inner->sizes[inner->n] = total(*below[i]);
        inner->children[inner->n] = std::move(below[i]);
      }
    }
    return level;
  }
};

}  // namespace knarr
