// Removal of many edges at once. The edges of a run of nodes are one range of the tree that is
// ordered by that end, and are dropped as a range. The other trees erase their keys in sorted
// order, so that no tree node is copied or searched twice.
#include <algorithm>

#include "edges/edges.h"

namespace knarr {

// Erases keys that are all present.
template <class V>
void EdgeStore::erase_each(CowTree<Triple, V>& tree, std::vector<Triple> keys) {
  std::ranges::sort(keys);
  tree.erase_each(std::span<const Triple>(keys));
}

// Takes edges, given by source, target and episode, out of their episodes.
void EdgeStore::leave_episodes(const std::vector<Triple>& edges) {
  std::vector<Triple> keys, single;
  keys.reserve(edges.size());
  for (const Triple& edge : edges) keys.push_back({edge.c, edge.a, edge.b});
  std::ranges::sort(keys);
  for (std::size_t i = 0, end; i < keys.size(); i = end) {
    const EpisodeId id = keys[i].a;
    for (end = i; end < keys.size() && keys[end].a == id;) ++end;
    EpisodeEntry& entry = *episodes_.edit(id);
    entry.edges -= static_cast<std::uint32_t>(end - i);
    if (entry.edges > 0) {
      single.insert(single.end(), keys.begin() + static_cast<std::ptrdiff_t>(i),
                    keys.begin() + static_cast<std::ptrdiff_t>(end));
    } else {
      by_episode_.erase_range(Triple{id, 0, 0}, Triple{id + 1, 0, 0});
      drop_episode(id);
    }
  }
  erase_each(by_episode_, std::move(single));
}

std::size_t EdgeStore::remove_edges(const std::vector<Triple>& edges) {
  std::vector<Triple> reverse;
  reverse.reserve(edges.size());
  for (const Triple& edge : edges) reverse.push_back({edge.b, edge.a, edge.c});
  erase_each(forward_, edges);
  erase_each(reverse_, std::move(reverse));
  leave_episodes(edges);
  return edges.size();
}

std::size_t EdgeStore::remove_node(NodeId node) { return remove_run(node, node); }

// Nodes that were added together have consecutive ids, so a subtree is one run of ids, or few.
std::size_t EdgeStore::remove_nodes(std::span<const NodeId> nodes) {
  std::size_t removed = 0;
  for (std::size_t i = 0, end; i < nodes.size() && edge_count() > 0; i = end) {
    for (end = i + 1; end < nodes.size() && nodes[end] == nodes[end - 1] + 1;) ++end;
    removed += remove_run(nodes[i], nodes[end - 1]);
  }
  return removed;
}

std::size_t EdgeStore::remove_run(NodeId first, NodeId last) {
  const auto is_inside = [&](NodeId node) { return first <= node && node <= last; };
  const Triple begin{first, 0, 0}, end{last + 1, 0, 0};
  std::vector<Triple> edges, incoming, outgoing;  // the last two with one end outside
  for (auto at = forward_.lower_bound(begin); at.valid() && is_inside(at.key().a); at.next()) {
    const auto [source, target, episode] = at.key();
    edges.push_back(at.key());
    if (!is_inside(target)) outgoing.push_back({target, source, episode});
  }
  for (auto at = reverse_.lower_bound(begin); at.valid() && is_inside(at.key().a); at.next()) {
    const auto [target, source, episode] = at.key();
    if (!is_inside(source)) incoming.push_back({source, target, episode});
  }
  edges.insert(edges.end(), incoming.begin(), incoming.end());
  if (edges.empty()) return 0;
  forward_.erase_range(begin, end);
  reverse_.erase_range(begin, end);
  erase_each(forward_, std::move(incoming));
  erase_each(reverse_, std::move(outgoing));
  leave_episodes(edges);
  return edges.size();
}

std::size_t EdgeStore::remove_trace(std::string_view trace) {
  std::vector<Triple> edges;
  for (const EpisodeId id : episodes_of(trace)) {
    for (auto at = by_episode_.lower_bound(Triple{id, 0, 0}); at.valid() && at.key().a == id;
         at.next()) {
      edges.push_back({at.key().b, at.key().c, id});
    }
  }
  return remove_edges(edges);
}

std::size_t EdgeStore::remove_expired(std::int64_t now_s) {
  std::vector<Triple> expired;
  for (auto at = forward_.begin(); at.valid(); at.next()) {
    if (at.value().expires_at_s <= now_s) expired.push_back(at.key());
  }
  return remove_edges(expired);
}

}  // namespace knarr
