// Publishing, the graph and the statistics. Names, search, edges, text, writing and persistence
// have their own files, engine_*.cc.
//
// Publishing: a writer copies the current State (O(1), all parts are shared), edits its copy, and
// swaps one shared_ptr under a mutex that is held for the swap only. A reader copies that pointer
// at its start and holds one version until it returns, so it takes no further lock, sees a change
// whole or not at all, and never waits for a writer. A version is freed with its last reader.
#include "engine/engine.h"

#include <system_error>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/error.h"
#include "engine/engine_impl.h"
#include "vectors/graph_plan.h"

namespace knarr {
namespace {

constexpr std::uint64_t kManyRows = 10'000;

// Freeing the version before a large removal takes longer than the removal, so a thread of its own
// does it. It touches nothing else and ends by itself. Without a thread the caller frees it.
void free_in_background(StatePtr state, bool trim) {
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

Engine::Free Engine::when_to_free(std::uint64_t rows) {
  return rows >= kManyRows ? Free::kInBackground : Free::kNow;
}

void Engine::publish(std::shared_ptr<State> draft, Free free) {
  ++draft->version;
  const StatePtr now = draft;
  StatePtr next = std::move(draft);
  {
    const std::lock_guard lock(state_mutex_);
    state_.swap(next);
  }
  show_graph(*now);
  // The old version is let go here, outside the lock: freeing it may take a while.
  if (free != Free::kNow) free_in_background(std::move(next), free == Free::kInBackgroundAndTrim);
}

void Engine::keep_graph(bool on) {
  const std::lock_guard lock(writing_);
  if (!on) return graph_.disable();
  graph_.enable();
  show_graph(*state());
}

void Engine::show_graph(const State& state) {
  if (!graph_.is_on() || !state.vectors.has_quantised_rows()) return;
  graph_.follow(rows_for_graph(state.vectors), state.live(), state.generation);
}

std::uint64_t Engine::graph_rows() const {
  const GraphPtr graph = graph_.graph(state()->generation);
  return graph == nullptr ? 0 : graph->size();
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
