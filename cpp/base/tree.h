// CowTree: a sorted map that can be copied in O(1).
//
// A B+tree of shared nodes with counts of what lies below, so that it also answers `rank` and `at`.
// A copy shares every node. A change copies the shared nodes on its path and edits in place those
// that only this tree can reach: the first edits after a copy cost O(log n) nodes, and many edits
// of one draft cost little more than in a mutable map.
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

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/pool.h"
#include "base/ref.h"

namespace knarr {

template <class K, class V, class Less = std::less<>>
class CowTree {
  static constexpr std::size_t kFan = 32;  // entries of a node, at most
  static constexpr std::size_t kSparse =
      8;  // below this, a node is merged when a neighbour has room
  static constexpr std::size_t kPooled = 100'000;  // entries made at once that get a pool
  static constexpr std::size_t kHeight = 16;       // 8^16 entries are more than memory holds

  struct Node : RefCounted {
    explicit Node(bool is_leaf) : leaf(is_leaf) {}
    Node(const Node& other) : RefCounted(other), leaf(other.leaf), n(other.n), keys(other.keys) {}
    Node& operator=(const Node&) = delete;
    virtual ~Node() = default;

    static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
    static void* operator new(std::size_t bytes, Pool& pool) { return pool.take(bytes); }
    static void operator delete(void* memory) { ::operator delete(memory); }
    static void operator delete(void* memory, Pool&) { Pool::give_back(memory); }
    static void operator delete(Node* node, std::destroying_delete_t) {
      const bool is_pooled = node->pooled;
      node->~Node();
      is_pooled ? Pool::give_back(node) : ::operator delete(node);
    }

    const bool leaf;
    bool pooled = false;  // made by a Pool
    std::uint16_t n = 0;
    std::array<K, kFan> keys{};
  };
  struct Leaf final : Node {
    Leaf() : Node(true) {}
    std::array<V, kFan> values{};
  };
  struct Inner final : Node {
    Inner() : Node(false) {}
    std::array<Ref<Node>, kFan> children{};
    std::array<std::size_t, kFan> sizes{};
  };

 public:
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
    friend class CowTree;
    struct Step {
      const Node* node;
      std::size_t index;
    };
    const Step& top() const { return path_[depth_ - 1]; }
    const Leaf& leaf() const { return static_cast<const Leaf&>(*top().node); }
    // Where not much follows in this leaf, asks for the next one.
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

  // A tree of n entries, packed: next(i) gives entry i as a pair of key and value. It is called
  // with 0, 1, ... in order, and the keys ascend.
  template <class F>
  static CowTree of_sorted(std::size_t n, F&& next) {
    CowTree tree;
    Pool pool;
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
    if (n > 0) tree.root_ = std::move(level.front());
    tree.size_ = n;
    return tree;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The value of `key`, or nullptr.
  template <class Q>
  const V* find(const Q& key) const {
    const Node* node = root_.get();
    if (node == nullptr) return nullptr;
    while (!node->leaf) {
      node = static_cast<const Inner*>(node)->children[child_of(*node, key)].get();
    }
    const std::size_t i = lower(*node, key);
    return hit(*node, i, key) ? &static_cast<const Leaf*>(node)->values[i] : nullptr;
  }

  template <class Q>
  bool contains(const Q& key) const {
    return find(key) != nullptr;
  }

  // Sets the value of `key`; true when the key is new.
  bool insert(K key, V value) {
    if (!root_) root_ = Ref<Node>(new Leaf);
    bool fresh = false;
    Split split = insert_below(root_, key, value, fresh);
    if (split.right) {
      auto* top = new Inner;
      Ref<Node> holder(top);
      top->n = 2;
      top->keys[1] = std::move(split.key);
      top->children[0] = std::move(root_);
      top->children[1] = std::move(split.right);
      top->sizes[0] = total(*top->children[0]);
      top->sizes[1] = total(*top->children[1]);
      root_ = std::move(holder);
    }
    size_ += fresh ? 1 : 0;
    return fresh;
  }

  // The value of `key`, to be changed in place, or nullptr.
  template <class Q>
  V* edit(const Q& key) {
    if (!contains(key)) return nullptr;
    Ref<Node>* slot = &root_;
    while (!own(*slot).leaf) {
      slot = &static_cast<Inner&>(**slot).children[child_of(**slot, key)];
    }
    return &static_cast<Leaf&>(**slot).values[lower(**slot, key)];
  }

  // True when the key was there.
  template <class Q>
  bool erase(const Q& key) {
    if (!contains(key)) return false;
    erase_below(root_, key);
    settle_root();
    --size_;
    return true;
  }

  // Erases keys that are all there; they ascend. What they share of the way is gone once.
  template <class Q>
  void erase_each(std::span<const Q> keys) {
    if (keys.empty()) return;
    erase_each_below(root_, keys);
    settle_root();
    size_ -= keys.size();
  }

  // Erases the keys in [from, to) and returns how many there were. Nodes that hold nothing else are
  // let go of whole: O(log n) when they are shared with another tree.
  template <class Q>
  std::size_t erase_range(const Q& from, const Q& to) {
    const std::size_t begin = rank(from), end = rank(to);
    if (begin >= end) return 0;
    erase_range_below(root_, from, to);
    settle_root();
    size_ -= end - begin;
    return end - begin;
  }

  Cursor begin() const { return at(0); }

  // At the first entry whose key is not less than `key`.
  template <class Q>
  Cursor lower_bound(const Q& key) const {
    Cursor cursor;
    const Node* node = root_.get();
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

  // find(keys[i]) for each i, as out[i]. Goes down for all of them side by side: where nodes are
  // not in the caches, that waits once a level, not once for each key too.
  template <class Q>
  void find_each(std::span<const Q> keys, std::span<const V*> out) const {
    constexpr std::size_t kAbreast = 32;
    std::array<const Node*, kAbreast> at;
    for (std::size_t first = 0; first < keys.size(); first += kAbreast) {
      const auto some = keys.subspan(first, std::min(kAbreast, keys.size() - first));
      at.fill(root_.get());
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

  // lower_bound(keys[i]) for each i, as out[i]; side by side likewise.
  template <class Q>
  void lower_bounds(std::span<const Q> keys, std::span<Cursor> out) const {
    if (keys.empty()) return;
    for (Cursor& each : out) each = Cursor();
    if (!root_) return;
    for (Cursor& each : out) each.push(root_.get(), 0);
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

  // How many keys are less than `key`.
  template <class Q>
  std::size_t rank(const Q& key) const {
    std::size_t before = 0;
    const Node* node = root_.get();
    if (node == nullptr) return 0;
    while (!node->leaf) {
      const auto& inner = static_cast<const Inner&>(*node);
      const std::size_t i = child_of(*node, key);
      for (std::size_t j = 0; j < i; ++j) before += inner.sizes[j];
      node = inner.children[i].get();
    }
    return before + lower(*node, key);
  }

  // At the entry with this rank; the end when there is none.
  Cursor at(std::size_t rank) const {
    Cursor cursor;
    if (rank >= size_) return cursor;
    const Node* node = root_.get();
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

  // Bytes of the nodes, shared ones included, without what keys and values own elsewhere. O(n).
  std::size_t size_bytes() const { return root_ ? bytes_below(*root_) : 0; }

 private:
  struct Split {
    K key{};
    Ref<Node> right;  // null when nothing was split
  };

  static void fetch(const void* memory, std::size_t size) {
    const auto* bytes = static_cast<const char*>(memory);
    for (std::size_t at = 0; at < size; at += 64) __builtin_prefetch(bytes + at);
    __builtin_prefetch(bytes + size - 1);
  }
  // Asks for all keys at once: a search among them would wait for one cache line after another.
  static const Node* fetched(const Node* node) {
    fetch(node, sizeof(Node));
    return node;
  }
  static const Node& child(const Node& node, std::size_t i) {
    return *static_cast<const Inner&>(node).children[i];
  }
  template <class Q>
  static std::size_t lower(const Node& node, const Q& key) {
    const auto begin = node.keys.begin();
    return static_cast<std::size_t>(std::lower_bound(begin, begin + node.n, key, Less{}) - begin);
  }
  template <class Q>
  static std::size_t child_of(const Node& node, const Q& key) {
    const auto begin = node.keys.begin();
    return static_cast<std::size_t>(std::upper_bound(begin + 1, begin + node.n, key, Less{}) -
                                    begin - 1);
  }
  template <class Q>
  static bool hit(const Node& node, std::size_t i, const Q& key) {
    return i < node.n && !Less{}(key, node.keys[i]);
  }
  static std::size_t total(const Node& node) {
    if (node.leaf) return node.n;
    const auto& sizes = static_cast<const Inner&>(node).sizes;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < node.n; ++i) sum += sizes[i];
    return sum;
  }
  static std::size_t bytes_below(const Node& node) {
    if (node.leaf) return sizeof(Leaf);
    std::size_t sum = sizeof(Inner);
    for (std::size_t i = 0; i < node.n; ++i) {
      sum += bytes_below(*static_cast<const Inner&>(node).children[i]);
    }
    return sum;
  }

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

  // Makes the node in `slot` reachable from here only. The slot's own node must be so already.
  static Node& own(Ref<Node>& slot) {
    if (!slot.unique()) {
      slot = slot->leaf ? Ref<Node>(new Leaf(static_cast<const Leaf&>(*slot)))
                        : Ref<Node>(new Inner(static_cast<const Inner&>(*slot)));
    }
    return *slot;
  }

  template <class A>
  static void open_gap(A& array, std::size_t n, std::size_t at) {
    std::move_backward(array.begin() + at, array.begin() + n, array.begin() + n + 1);
  }
  // Closes the gap and lets go of what the last place held.
  template <class A>
  static void close_gap(A& array, std::size_t n, std::size_t at) {
    std::move(array.begin() + at + 1, array.begin() + n, array.begin() + at);
    array[n - 1] = typename A::value_type{};
  }
  // The same for the places [begin, end).
  template <class A>
  static void close_gaps(A& array, std::size_t n, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    std::move(array.begin() + end, array.begin() + n, array.begin() + begin);
    std::fill(array.begin() + (n - (end - begin)), array.begin() + n, typename A::value_type{});
  }
  template <class A>
  static void move_tail(A& from, std::size_t begin, std::size_t end, A& to, std::size_t at) {
    for (std::size_t i = begin; i < end; ++i)
      to[at++] = std::exchange(from[i], typename A::value_type{});
  }

  // Moves entries [begin, n) of `from` behind those of `to`. Both are owned and of one type.
  static void move_entries(Node& from, std::size_t begin, Node& to) {
    move_tail(from.keys, begin, from.n, to.keys, to.n);
    if (from.leaf) {
      auto &source = static_cast<Leaf&>(from), &target = static_cast<Leaf&>(to);
      move_tail(source.values, begin, from.n, target.values, to.n);
    } else {
      auto &source = static_cast<Inner&>(from), &target = static_cast<Inner&>(to);
      move_tail(source.children, begin, from.n, target.children, to.n);
      move_tail(source.sizes, begin, from.n, target.sizes, to.n);
    }
    to.n = static_cast<std::uint16_t>(to.n + from.n - begin);
    from.n = static_cast<std::uint16_t>(begin);
  }

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
    // What is dropped or merged moves only children that are done.
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
  void settle_root() {
    while (!root_->leaf && root_->n == 1) {
      root_ = Ref<Node>(static_cast<Inner&>(*root_).children[0]);
    }
    if (root_->n == 0) root_ = Ref<Node>();
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

  Ref<Node> root_;
  std::size_t size_ = 0;
};

}  // namespace knarr
