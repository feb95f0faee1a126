// The nodes of a CowTree, and the operations on a single node that building, inserting and erasing
// share.
//
// A leaf holds keys and values, an inner node children and how many entries lie below each. A node
// that several trees reach is never edited: `own` makes a copy first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/object_pool.h"
#include "base/ref.h"

namespace knarr {

template <class K, class V, class Less>
struct TreeNodes {
  static constexpr std::size_t kFan = 32;  // entries of a node, at most

  struct Node : RefCounted {
    explicit Node(bool is_leaf) : leaf(is_leaf) {}
    Node(const Node& other) : RefCounted(other), leaf(other.leaf), n(other.n), keys(other.keys) {}
    Node& operator=(const Node&) = delete;
    virtual ~Node() = default;

    static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
    static void* operator new(std::size_t bytes, ObjectPool& pool) { return pool.take(bytes); }
    static void operator delete(void* memory) { ::operator delete(memory); }
    static void operator delete(void* memory, ObjectPool&) { ObjectPool::give_back(memory); }
    static void operator delete(Node* node, std::destroying_delete_t) {
      const bool is_pooled = node->pooled;
      node->~Node();
      is_pooled ? ObjectPool::give_back(node) : ::operator delete(node);
    }

    const bool leaf;
    bool pooled = false;  // made by a ObjectPool
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
};

}  // namespace knarr
