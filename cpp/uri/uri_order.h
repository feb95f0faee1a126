// UriOrder: compares nodes by their URIs, as strings of bytes.
//
// It looks up the ancestors of all nodes once, level by level, and builds no string. It holds
// pointers into the Trie, which must outlive it unchanged. Any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "uri/trie.h"

namespace knarr {

class UriOrder {
 public:
  // `nodes` come from trie.get_each; none may be null.
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
