#include <algorithm>
#include <ctime>
#include <functional>
#include <numeric>
#include <string>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/engine_impl.h"
#include "uri/uri_order.h"

namespace knarr {
namespace {

// Keeps the targets of which the caller may see a row, and returns their nodes.
std::vector<const TrieNode*> keep_allowed(std::vector<Activation>& found, const Trie& trie,
                                          const RowSet& allowed) {
  std::vector<NodeId> targets;
  targets.reserve(found.size());
  for (const Activation& each : found) targets.push_back(each.target);
  std::vector<const TrieNode*> nodes = trie.get_each(targets);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const TrieNode* const node = nodes[i];
    if (node == nullptr) continue;
    const bool is_allowed =
        node->is_object ? allowed.contains(node->rows.first()) : !(node->rows & allowed).empty();
    if (!is_allowed) continue;
    found[kept] = found[i];
    nodes[kept++] = node;
  }
  found.resize(kept);
  nodes.resize(kept);
  return nodes;
}

// Puts targets of equal similarity in the order of their URIs. `found` is ordered by similarity,
// and `nodes` are those of its targets.
void order_ties(std::vector<Activation>& found, std::span<const TrieNode* const> nodes,
                const Trie& trie) {
  std::vector<std::size_t> tied, ends;  // their places in `found`; where a group ends among these
  std::vector<const TrieNode*> tied_nodes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto is_like = [&](std::size_t j) { return found[i].similarity == found[j].similarity; };
    const bool is_last = i + 1 == found.size() || !is_like(i + 1);
    if (is_last && (i == 0 || !is_like(i - 1))) continue;
    tied.push_back(i);
    tied_nodes.push_back(nodes[i]);
    if (is_last) ends.push_back(tied.size());
  }
  if (tied.empty()) return;
  const UriOrder before(trie, std::move(tied_nodes));
  std::vector<std::size_t> order(tied.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto begin = order.begin();
  for (const std::size_t end : ends) {
    const auto next = order.begin() + static_cast<std::ptrdiff_t>(end);
    std::sort(begin, next, std::cref(before));
    begin = next;
  }
  const std::vector<Activation> unordered = found;
  for (std::size_t i = 0; i < tied.size(); ++i) found[tied[i]] = unordered[tied[order[i]]];
}

// Drops what cannot be among the first `limit` in any order of ties.
void cut_behind_ties(std::vector<Activation>& found, std::size_t limit) {
  if (limit >= found.size()) return;
  if (limit == 0) return found.clear();
  while (limit < found.size() && found[limit].similarity == found[limit - 1].similarity) ++limit;
  found.resize(limit);
}

}  // namespace

void check_width(const char* what, std::span<const float> values, std::size_t dim) {
  if (values.size() != dim) {
    fail(ErrorCode::kInvalidArgument, std::string(what) + ": expected dimension " +
                                          std::to_string(dim) + ", got " +
                                          std::to_string(values.size()));
  }
}

Row Expanded::row() const {
  const TrieNode& node = state->trie.node(edge.target);
  return node.is_object ? node.rows.first() : kNoRow;
}

std::optional<Kind> Expanded::kind() const {
  const Row at = row();
  if (at == kNoRow) return std::nullopt;
  return state->kind(at);
}

std::string Expanded::preview() const {
  const Row at = row();
  return at == kNoRow ? "" : state->preview(at);
}

std::string Expanded::document() const {
  const Row at = row();
  return at == kNoRow ? "" : state->document(at);
}

Expansion expand_nodes(const StatePtr& state, std::span<const NodeId> seeds,
                       std::span<const float> query, const RowSet& allowed,
                       const EdgeStore::ExpandOptions& options, std::size_t limit) {
  auto found = state->edges.expand(seeds, query, options);
  const auto nodes = keep_allowed(found, state->trie, allowed);
  cut_behind_ties(found, limit);
  order_ties(found, nodes, state->trie);
  if (limit < found.size()) found.resize(limit);
  return {state, std::move(found)};
}

Expansion Engine::expand(std::span<const std::string_view> seeds, std::span<const float> query,
                         const ExpandOptions& options) const {
  check_width("query", query, dim_);
  const StatePtr state = this->state();
  const std::vector<NodeId> nodes = state->resolve_each(seeds, options.filter);
  const RowSet allowed = state->allowed(options.scope, options.filter);
  return expand_nodes(
      state, nodes, query, allowed,
      {.gamma = options.gamma, .now_s = std::time(nullptr), .audiences = options.audiences},
      options.limit);
}

std::vector<KnownEdge> Engine::edges(std::int64_t offset, std::int64_t limit) const {
  if (offset < 0 || limit < 0) {
    fail(ErrorCode::kInvalidArgument, "offset and limit must not be negative, got " +
                                          std::to_string(offset) + " and " + std::to_string(limit));
  }
  const StatePtr state = this->state();
  std::vector<KnownEdge> out;
  for (const Edge& edge :
       state->edges.list(static_cast<std::size_t>(offset), static_cast<std::size_t>(limit))) {
    const EpisodeView episode = state->edges.episode(edge.episode);
    out.push_back({state->trie.uri(edge.source), state->trie.uri(edge.target),
                   std::string(episode.question), std::string(episode.trace),
                   std::string(episode.summary), edge.expires_at_s, episode.audience});
  }
  return out;
}

}  // namespace knarr
