// Search, and the edges that start from its hits, in one call on one State.
#include "vectors/search.h"

#include <ctime>
#include <limits>

#include "base/error.h"
#include "engine/engine.h"

namespace knarr {
namespace {

void check_width(const char* what, std::span<const float> values, std::size_t dim) {
  if (values.size() != dim) {
    fail(ErrorCode::kInvalidArgument, std::string(what) + ": expected dimension " +
                                          std::to_string(dim) + ", got " +
                                          std::to_string(values.size()));
  }
}

// How many rows to rank: offset + k, but no more than there are. Throws for values out of range.
std::size_t rows_to_rank(const SearchOptions& options, std::uint64_t rows_allowed) {
  if (options.k < 1) {
    fail(ErrorCode::kInvalidArgument, "k must be at least 1, got " + std::to_string(options.k));
  }
  if (options.offset < 0) {
    fail(ErrorCode::kInvalidArgument,
         "offset must not be negative, got " + std::to_string(options.offset));
  }
  const auto k = static_cast<std::uint64_t>(options.k);
  const auto offset = static_cast<std::uint64_t>(options.offset);
  return std::max<std::uint64_t>(1, std::min(rows_allowed, k + offset));
}

std::vector<Expanded> expand_nodes(const State& state, std::span<const NodeId> seeds,
                                   std::span<const float> query, const RowSet& allowed, float gamma,
                                   std::size_t limit) {
  const Trie& trie = state.trie;
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
  const auto before = [&](NodeId a, NodeId b) { return trie.uri(a) < trie.uri(b); };
  std::vector<Expanded> out;
  for (const Activation& each : state.edges.expand(seeds, query, options, is_allowed, before)) {
    const EpisodeView episode = state.edges.episode(each.episode);
    const TrieNode& target = trie.node(each.target);
    Expanded found{};
    found.uri = trie.uri(each.target);
    found.row = kNoRow;
    if (target.is_object) {
      found.row = target.rows.first();
      found.kind = state.records[found.row].kind;
      found.preview = state.preview(found.row);
      found.document = state.document(found.row);
    }
    found.source = trie.uri(each.source);
    found.similarity = each.similarity;
    found.question = episode.question;
    found.summary = episode.summary;
    found.trace = episode.trace;
    out.push_back(std::move(found));
  }
  return out;
}

Hits make_hits(const StatePtr& state, TopKResult&& found, const SearchOptions& options,
               std::uint64_t rows_allowed) {
  Hits hits;
  hits.state = state;
  hits.rows = std::move(found.rows);
  const auto skip =
      std::min(static_cast<std::uint64_t>(options.offset), std::uint64_t{hits.rows.size()});
  hits.rows.erase(hits.rows.begin(), hits.rows.begin() + static_cast<std::ptrdiff_t>(skip));
  hits.plan = found.plan;
  hits.explanation = found.explanation;
  hits.rows_allowed = rows_allowed;
  return hits;
}

}  // namespace

Extent Hits::extent(std::size_t i) const {
  const TextPlace place = state->texts.place(rows[i].row);
  if (place.block == kNoBlock) return {};
  const Block& block = *state->texts.block(place.block);
  const Slice slice = block.slice(place.slice);
  const std::uint32_t last =
      slice.end_byte > slice.begin_byte ? slice.end_byte - 1 : slice.begin_byte;
  return {slice.begin_byte, slice.end_byte, block.line_at(slice.begin_byte), block.line_at(last)};
}

std::vector<std::string> Hits::uris() const {
  std::vector<std::string> out;
  out.reserve(rows.size());
  NodeId directory = kNoNode;
  std::string above;  // the URI of `directory`
  for (const ScoredRow& each : rows) {
    const NodeId node = state->records[each.row].node;
    const NodeId parent = state->trie.node(node).parent;
    if (parent != directory) above = state->trie.uri(parent);
    directory = parent;
    out.push_back(state->trie.uri_below(above, node));
  }
  return out;
}

std::vector<std::string> Hits::documents() const {
  std::vector<std::string> out;
  out.reserve(rows.size());
  NodeId directory = kNoNode, document = kNoNode;  // of the hit before
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowRecord& record = state->records[rows[i].row];
    const NodeId parent = state->trie.node(record.node).parent;
    const bool is_alike = i > 0 && parent == directory && record.document == document;
    out.push_back(is_alike ? out.back() : state->document(rows[i].row));
    directory = parent;
    document = record.document;
  }
  return out;
}

Hits Engine::search(std::span<const float> query, const SearchOptions& options) const {
  check_width("query", query, dim_);
  const std::span<const float> question = options.question.empty() ? query : options.question;
  check_width("question", question, dim_);
  const StatePtr state = this->state();
  const RowSet allowed = state->allowed(state->resolve(options.scope), options.filter);
  const std::uint64_t rows_allowed = allowed.size();
  const auto before = [&](Row a, Row b) { return state->uri_before(a, b); };
  const RowLess less(before);
  TopKResult found = top_k(state->vectors, allowed, query.data(),
                           rows_to_rank(options, rows_allowed), less, options.how);
  Hits hits = make_hits(state, std::move(found), options, rows_allowed);
  if (options.expand) {
    std::vector<NodeId> seeds;
    for (const ScoredRow& each : hits.rows) seeds.push_back(state->records[each.row].node);
    hits.expanded = expand_nodes(*state, seeds, question, allowed, options.gamma,
                                 std::numeric_limits<std::size_t>::max());
  }
  return hits;
}

std::vector<Hits> Engine::search_batch(std::span<const float> queries,
                                       const SearchOptions& options) const {
  if (queries.size() % dim_ != 0) check_width("query", queries, dim_);
  const StatePtr state = this->state();
  const RowSet allowed = state->allowed(state->resolve(options.scope), options.filter);
  const std::uint64_t rows_allowed = allowed.size();
  const auto before = [&](Row a, Row b) { return state->uri_before(a, b); };
  const RowLess less(before);
  auto found = top_k_batch(state->vectors, allowed, queries.data(), queries.size() / dim_,
                           rows_to_rank(options, rows_allowed), less, options.how);
  std::vector<Hits> out;
  out.reserve(found.size());
  for (TopKResult& each : found) {
    out.push_back(make_hits(state, std::move(each), options, rows_allowed));
  }
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
  return expand_nodes(*state, nodes, query, allowed, options.gamma, options.limit);
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
