// What the engine_*.cc files share: the writer's stores, and helpers of search and expansion.
#pragma once

#include "engine/engine.h"
#include "engine/state.h"
#include "grep/text/text.h"
#include "vectors/store.h"

namespace knarr {

// The append-only stores behind the views of a State. They belong to the writer: it appends behind
// what published views show, so readers need no lock.
struct Engine::Stores {
  Stores(std::size_t dim, Precision precision) : vectors(dim, precision) {}
  Stores(VectorStore v, TextStore t) : vectors(std::move(v)), texts(std::move(t)) {}

  // Makes `state` see all that has been appended.
  void show(State& state) {
    state.vectors = vectors.view();
    state.texts = texts.view();
    state.records = records.view();
  }

  VectorStore vectors;
  TextStore texts;
  Records records;  // of the rows behind mapped ones
};

// What a snapshot holds, before an engine owns it.
struct Engine::Parts {
  std::unique_ptr<Stores> stores;
  std::shared_ptr<State> state;
};

// Throws Error kInvalidArgument that names `what`.
void check_width(const char* what, std::span<const float> values, std::size_t dim);

// EdgeStore::expand from `seeds`, restricted to targets that hold rows of `allowed`: the first
// `limit` of them.
Expansion expand_nodes(const StatePtr& state, std::span<const NodeId> seeds,
                       std::span<const float> query, const RowSet& allowed,
                       const EdgeStore::ExpandOptions& options, std::size_t limit);

}  // namespace knarr
