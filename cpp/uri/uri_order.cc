#include "uri/uri_order.h"

#include <algorithm>

#include "base/dense_ids.h"
#include "uri/uri.h"

namespace knarr {

UriOrder::UriOrder(const Trie& trie, std::vector<const TrieNode*> nodes)
    : up_(std::move(nodes)), depths_(up_.size(), 0) {
  const std::size_t n = depths_.size();
  std::vector<NodeId> parents;  // of the level below, each once
  std::vector<std::uint32_t> places(n);
  for (std::size_t level = 1;; ++level) {
    DenseIds<NodeId> place_of(n);
    parents.clear();
    for (std::size_t i = 0; i < n; ++i) {
      const TrieNode* const node = up_[(level - 1) * n + i];
      if (node == nullptr || node->parent == kNoNode) continue;
      __builtin_prefetch(node->name.text().data());
      const auto [place, is_new] = place_of(node->parent);
      if (is_new) parents.push_back(node->parent);
      places[i] = place;
      depths_[i] = level;
    }
    if (parents.empty()) return;
    const std::vector<const TrieNode*> records = trie.get_each(parents);
    up_.resize((level + 1) * n, nullptr);
    for (std::size_t i = 0; i < n; ++i) {
      if (depths_[i] == level) up_[level * n + i] = records[places[i]];
    }
  }
}

// The first differing components decide; an ancestor's URI is how its descendants' begin.
bool UriOrder::operator()(std::size_t a, std::size_t b) const {
  for (std::size_t depth = 1; depth <= std::min(depths_[a], depths_[b]); ++depth) {
    const TrieNode *x = ancestor(a, depth), *y = ancestor(b, depth);
    if (x == y) continue;
    return encoded_before({x->name.text(), !x->is_object}, {y->name.text(), !y->is_object});
  }
  return depths_[a] < depths_[b];
}

}  // namespace knarr
