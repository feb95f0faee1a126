#include "engine/expand.h"

#include <ctime>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "engine/engine.h"

namespace knarr {
namespace {

// Compares nodes by their URIs, each of which is made once, and only where similarities are equal.
class UriOrder {
 public:
  explicit UriOrder(const Trie& trie) : trie_(&trie) {}

  bool operator()(NodeId a, NodeId b) { return uri(a) < uri(b); }

 private:
  const std::string& uri(NodeId node) {
    const auto [known, fresh] = uris_.try_emplace(node);
    if (fresh) known->second = trie_->uri(node);
    return known->second;
  }

  const Trie* trie_;
  std::unordered_map<NodeId, std::string> uris_;
};

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

std::vector<Expanded> expand_nodes(const StatePtr& state, std::span<const NodeId> seeds,
                                   std::span<const float> query, const RowSet& allowed, float gamma,
                                   std::size_t limit) {
  const Trie& trie = state->trie;
  EdgeStore::ExpandOptions options;
  options.gamma = gamma;
  options.now_s = std::time(nullptr);
  options.limit = limit;
  // A target is allowed when the caller may see any of its rows.
  const auto is_allowed = [&](NodeId id) {
    const TrieNode* node = trie.get(id);
    if (node == nullptr) return false;
    return node->is_object ? allowed.contains(node->rows.first()) : !(node->rows & allowed).empty();
  };
  UriOrder before(trie);
  std::vector<Expanded> out;
  const auto found = state->edges.expand(seeds, query, options, is_allowed, before);
  out.reserve(found.size());
  for (const Activation& each : found) out.push_back({state, each});
  return out;
}

std::vector<Expanded> Engine::expand(std::span<const std::string_view> seeds,
                                     std::span<const float> query,
                                     const ExpandOptions& options) const {
  check_width("query", query, dim_);
  const StatePtr state = this->state();
  std::vector<NodeId> nodes;
  nodes.reserve(seeds.size());
  for (const std::string_view uri : seeds) nodes.push_back(state->resolve(uri));
  const RowSet allowed = state->allowed(state->resolve(options.scope), options.filter);
  return expand_nodes(state, nodes, query, allowed, options.gamma, options.limit);
}

std::vector<KnownEdge> Engine::edges(std::int64_t offset, std::int64_t limit) const {
  if (offset < 0 || limit < 0) {
    fail(ErrorCode::kInvalidArgument, "offset and limit must not be negative");
  }
  const StatePtr state = this->state();
  std::vector<KnownEdge> out;
  for (const Edge& edge :
       state->edges.list(static_cast<std::size_t>(offset), static_cast<std::size_t>(limit))) {
    const EpisodeView episode = state->edges.episode(edge.episode);
    out.push_back({state->trie.uri(edge.source), state->trie.uri(edge.target),
                   std::string(episode.question), std::string(episode.trace),
                   std::string(episode.summary), edge.expires_at_s});
  }
  return out;
}

}  // namespace knarr
