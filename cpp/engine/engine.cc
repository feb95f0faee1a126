// The frame of the facade, and the small reading calls. Search, text and writing have their own
// files.
#include "engine/engine.h"

#include <system_error>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/error.h"
#include "engine/stores.h"

namespace knarr {
namespace {

constexpr std::uint64_t kManyRows = 10'000;

// What is left of a large subtree takes longer to free than to leave out: a thread of its own does
// it, unless there is none to be had. It touches nothing else, and ends by itself.
void let_go_aside(StatePtr state, bool trim) {
  try {
    std::thread([old = std::move(state), trim]() mutable {
      old.reset();
#ifdef __GLIBC__
      if (trim) ::malloc_trim(0);
#endif
    }).detach();
  } catch (const std::system_error&) {
  }
}

}  // namespace

Engine::Engine(std::size_t dim, Precision precision)
    : Engine(dim, std::make_unique<Stores>(dim, precision)) {}

Engine::Engine(std::size_t dim, std::unique_ptr<Stores> stores)
    : dim_(dim), stores_(std::move(stores)) {
  auto first = std::make_shared<State>(dim);
  stores_->show(*first);
  state_ = std::move(first);
}

Engine::~Engine() = default;

StatePtr Engine::state() const {
  const std::lock_guard lock(state_mutex_);
  return state_;
}

Engine::LetGo Engine::let_go_of(std::uint64_t rows) {
  return rows >= kManyRows ? LetGo::kAside : LetGo::kHere;
}

void Engine::publish(std::shared_ptr<State> draft, LetGo let_go) {
  ++draft->version;
  const StatePtr now = draft;
  StatePtr next = std::move(draft);
  {
    const std::lock_guard lock(state_mutex_);
    state_.swap(next);
  }
  graph_.follow(now->vectors, now->live(), now->generation);
  // The old version is let go here, outside the lock: freeing it may take a while.
  if (let_go != LetGo::kHere) let_go_aside(std::move(next), let_go == LetGo::kAndTrim);
}

void Engine::keep_graph(bool on) {
  const std::lock_guard lock(writing_);
  if (!on) return graph_.disable();
  const StatePtr state = this->state();
  graph_.enable(state->vectors, state->live(), state->generation);
}

std::uint64_t Engine::graph_rows() const {
  const GraphPtr graph = graph_.graph(state()->generation);
  return graph == nullptr ? 0 : graph->size();
}

bool Engine::exists(std::string_view uri) const {
  const StatePtr state = this->state();
  return state->trie.find_plain(uri) != kNoNode || state->trie.find(parse_uri(uri)) != kNoNode;
}

std::uint64_t Engine::count(std::string_view scope, Kinds kinds) const {
  const StatePtr state = this->state();
  return state->allowed(state->resolve(scope), Filter{kinds, {}}).size();
}

ListPage Engine::list(std::string_view uri, std::int64_t offset, std::int64_t limit) const {
  if (offset < 0 || limit < 0) {
    fail(ErrorCode::kInvalidArgument, "offset and limit must not be negative, got " +
                                          std::to_string(offset) + " and " + std::to_string(limit));
  }
  const StatePtr state = this->state();
  const Trie& trie = state->trie;
  const NodeId directory = state->resolve(uri);
  if (trie.node(directory).is_object) {
    fail(ErrorCode::kInvalidArgument,
         trie.uri(directory) + " is an object, not a directory: read it, or list its parent");
  }
  const std::string above = trie.uri(directory);
  ListPage page;
  page.total = trie.child_count(directory);
  for (const NodeId id : trie.children(directory, static_cast<std::size_t>(offset),
                                       static_cast<std::size_t>(limit))) {
    const TrieNode& node = trie.node(id);
    ListEntry entry{trie.uri_below(above, id),
                    std::string(trie.name(id)),
                    !node.is_object,
                    node.rows.size(),
                    {},
                    {}};
    const NodeId shown = node.is_object ? id : trie.child(id, ".abstract.md");
    if (shown != kNoNode && trie.node(shown).is_object) {
      entry.preview = state->preview(trie.node(shown).rows.first());
    }
    if (node.is_object) entry.kind = state->kind(node.rows.first());
    page.entries.push_back(std::move(entry));
  }
  return page;
}

Stats Engine::stats() const {
  const StatePtr state = this->state();
  Stats out{};
  out.dim = dim_;
  out.objects = state->live().size();
  out.rows = state->vectors.size();
  out.directories = state->trie.size() - out.objects;
  out.version = state->version;
  out.generation = state->generation;
  out.edges = state->edges.edge_count();
  out.questions = state->edges.question_count();
  state->live().for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) out.text_bytes += state->texts.text_size(row);
  });
  out.vectors_size_bytes =
      std::uint64_t{state->vectors.size()} * state->vectors.format().row_bytes();
  if (state->vectors.has_quantised_rows()) {
    out.short_size_bytes =
        std::uint64_t{state->vectors.size()} * state->vectors.quantised_shape().size_bytes;
  }
  const CodeView& codes = state->vectors.codes();
  if (codes.chunks() > 0) {
    const ChunkShape& shape = codes.coder().shape();
    out.codes_size_bytes = codes.chunks() * (shape.size_bytes + kChunkRows * shape.slot_bytes);
  }
  if (const GraphPtr graph = graph_.graph(state->generation)) {
    out.graph_rows = graph->size();
    out.graph_size_bytes = graph->size_bytes();
  }
  for (BlockId id = 0; id < state->texts.block_count(); ++id) {
    if (const Block* block = state->texts.block(id)) out.texts_size_bytes += block->size_bytes();
  }
  out.index_size_bytes = state->texts.pages().size_bytes();
  out.trie_size_bytes = state->trie.size_bytes();
  out.rows_size_bytes = state->trie.rows_size_bytes();
  for (const RowSet& rows : state->by_kind) out.rows_size_bytes += rows.size_bytes();
  out.records_size_bytes = state->records.size() * sizeof(RowRecord) +
                           std::uint64_t{state->texts.rows_end()} * sizeof(TextPlace);
  for (std::size_t i = 0; i < state->records.size(); ++i) {
    const auto& preview = state->records[i].preview;
    if (preview) out.records_size_bytes += preview->size_bytes();
  }
  if (state->mapped_rows) out.records_size_bytes += state->mapped_rows->size_bytes();
  const EdgeStore::Memory edges = state->edges.memory();
  out.edges_size_bytes = edges.total();
  out.edge_questions_size_bytes = edges.questions;
  return out;
}

}  // namespace knarr
