// The append-only stores behind the views of a State. They belong to the writer.
#pragma once

#include "engine/engine.h"
#include "engine/state.h"
#include "grep/text/text.h"
#include "vectors/store.h"

namespace knarr {

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

// What a snapshot holds, before it is an engine's.
struct Engine::Parts {
  std::unique_ptr<Stores> stores;
  std::shared_ptr<State> state;
};

}  // namespace knarr
