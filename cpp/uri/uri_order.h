// UriOrder: which of some nodes' URIs comes first, as strings of bytes.
//
// Looks up all ancestors of all of them once, side by side, and makes no string. Pointers into the
// Trie: it must outlive the order unchanged. Any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "uri/trie.h"

namespace knarr {

class UriOrder {
 public:
  // Of nodes that trie.get_each gave; none may be missing.
  UriOrder(const Trie& trie, std::vector<const TrieNode*> nodes);

  // Whether the URI of node a sorts before that of node b, by their places among the nodes.
  bool operator()(std::size_t a, std::size_t b) const;

 private:
  // The ancestor of node i that is `depth` components below the root.
  const TrieNode* ancestor(std::size_t i, std::size_t depth) const {
    return up_[(depths_[i] - depth) * depths_.size() + i];
  }

  std::vector<const TrieNode*> up_;  // the nodes, their parents, and so on, up to the root
  std::vector<std::size_t> depths_;  // of the nodes
};

}  // namespace knarr
