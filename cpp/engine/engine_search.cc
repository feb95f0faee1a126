// Search, and the edges that start from its hits, in one call on one State.
#include <algorithm>
#include <ctime>
#include <limits>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/engine_impl.h"
#include "vectors/search.h"

namespace knarr {
namespace {

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
    const NodeId node = state->node(each.row);
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
    const NodeId parent = state->trie.node(state->node(rows[i].row)).parent;
    const NodeId own = state->document_node(rows[i].row);
    const bool is_alike = i > 0 && parent == directory && own == document;
    out.push_back(is_alike ? out.back() : state->document(rows[i].row));
    directory = parent;
    document = own;
  }
  return out;
}

GraphPtr Engine::use_graph(SearchHow& how, std::uint64_t generation) const {
  if (how.plan != PlanWish::kGraph) return nullptr;
  if (!graph_.is_on()) {
    fail(ErrorCode::kInvalidArgument,
         "plan \"graph\": this engine keeps no graph; turn it on first (Engine(dim, graph=True))");
  }
  GraphPtr graph = graph_.graph(generation);
  how.graph = graph.get();
  return graph;
}

Hits Engine::search(std::span<const float> query, const SearchOptions& options) const {
  check_width("query", query, dim_);
  const std::span<const float> question = options.question.empty() ? query : options.question;
  check_width("question", question, dim_);
  const StatePtr state = this->state();
  const RowSet allowed = state->allowed(options.scope, options.filter);
  const std::uint64_t rows_allowed = allowed.size();
  const auto before = [&](Row a, Row b) { return state->uri_before(a, b); };
  const RowLess less(before);
  SearchHow how = options.how;
  const GraphPtr graph = use_graph(how, state->generation);
  TopKResult found =
      top_k(state->vectors, allowed, query.data(), rows_to_rank(options, rows_allowed), less, how);
  Hits hits = make_hits(state, std::move(found), options, rows_allowed);
  if (options.expand) {
    std::vector<NodeId> seeds;
    for (const ScoredRow& each : hits.rows) seeds.push_back(state->node(each.row));
    hits.expanded = expand_nodes(
        state, seeds, question, allowed,
        {.gamma = options.gamma, .now_s = std::time(nullptr), .audiences = options.audiences},
        std::numeric_limits<std::size_t>::max());
  }
  return hits;
}

std::vector<Hits> Engine::search_batch(std::span<const float> queries,
                                       const SearchOptions& options) const {
  if (queries.size() % dim_ != 0) check_width("query", queries, dim_);
  const StatePtr state = this->state();
  const RowSet allowed = state->allowed(options.scope, options.filter);
  const std::uint64_t rows_allowed = allowed.size();
  const auto before = [&](Row a, Row b) { return state->uri_before(a, b); };
  const RowLess less(before);
  SearchHow how = options.how;
  const GraphPtr graph = use_graph(how, state->generation);
  auto found = top_k_batch(state->vectors, allowed, queries.data(), queries.size() / dim_,
                           rows_to_rank(options, rows_allowed), less, how);
  std::vector<Hits> out;
  out.reserve(found.size());
  for (TopKResult& each : found) {
    out.push_back(make_hits(state, std::move(each), options, rows_allowed));
  }
  return out;
}

}  // namespace knarr
