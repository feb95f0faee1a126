// Save, load and compact.
//
// A snapshot holds the nodes and the rows' records (engine/state_codec.h), the vectors as one
// matrix, their codes, the texts and the edges; snapshot/FORMAT.md draws the bytes. Loading trusts
// nothing: anything but a whole and consistent engine throws kCorruption.
//
// Compaction is a save to memory and a load from it. Removed rows leave holes in the append-only
// stores; the copy closes them, gives rows new numbers in the same order, and starts the next
// generation. Readers keep the old state, whose memory is freed with its last reader. The cost is
// that of copying the live rows.
#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/parallel.h"
#include "edges/edges_codec.h"
#include "engine/engine.h"
#include "engine/engine_impl.h"
#include "engine/state_codec.h"
#include "grep/text/text_codec.h"
#include "snapshot/snapshot.h"
#include "vectors/graph_plan.h"
#include "vectors/store_codec.h"

namespace knarr {
namespace {

constexpr std::string_view kGraphSection = "engine.graph";

void expect_precision(const Snapshot& snapshot, std::optional<Precision> precision) {
  const Precision held = stored_precision(snapshot);
  if (!precision || *precision == held) return;
  fail(ErrorCode::kInvalidArgument, snapshot.path() + ": expected vectors in " + name(*precision) +
                                        ", it holds them in " + name(held) +
                                        "; load it as it is, or add them to a new engine");
}

VectorStore load_vector_store(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                              std::size_t rows) {
  return VectorStore(
      dim, load_vectors(snapshot, dim, rows), load_codes(snapshot, dim, rows),
      load_quantised_rows(snapshot, RowFormat(stored_precision(*snapshot), dim), rows));
}

TextStore load_text_store(const std::shared_ptr<const Snapshot>& snapshot, std::size_t rows) {
  TextStore store = load_texts(snapshot);
  if (store.view().rows_end() > rows) {
    snapshot->corrupt("text.blocks", "texts of rows that do not exist");
  }
  return store;
}

EdgeStore load_edges(const Snapshot& snapshot, std::size_t dim, const Trie& trie) {
  EdgeStore edges = EdgeCodec::load(snapshot);
  if (edges.dim() != dim) snapshot.corrupt("edges.questions", "questions of another dimension");
  if (!edges.all_nodes([&](NodeId node) { return trie.contains(node); })) {
    snapshot.corrupt("edges.links", "an edge of a node that does not exist");
  }
  return edges;
}

// A graph knows its rows by their numbers, so it is written only when none of them changes.
void write_parts(const State& state, const KeptRows& rows, const Graph* graph,
                 SnapshotWriter& writer) {
  save_nodes_and_rows(state, rows, writer);
  save_vectors(state.vectors, rows.rows(), writer);
  save_codes(state.vectors, rows.rows(), writer);
  save_quantised_rows(state.vectors, rows.rows(), writer);
  if (graph != nullptr && rows.keeps_all_below(graph->rows_end())) {
    writer.begin(kGraphSection);
    graph->save([&](ByteSpan piece) { writer.append(piece); });
    writer.end();
  }
  TextStore texts = rows.texts();
  save_texts(texts.view(), writer);
  EdgeCodec::save(state.edges, writer);
}

// How the graph of a snapshot is read, in the background. Where there is none, or one of another
// version or that does not fit, a new one is built.
GraphKeeper::Restore graph_of(std::shared_ptr<const Snapshot> snapshot) {
  return [snapshot = std::move(snapshot)](const GraphRows& rows, const RowSet& live) -> GraphPtr {
    if (!snapshot->has(kGraphSection)) return nullptr;
    try {
      return Graph::load(snapshot->section(kGraphSection), rows, live);
    } catch (const Error&) {
      return nullptr;
    }
  };
}

}  // namespace

// Loading the nodes takes longest; sections that do not depend on them are loaded in parallel.
Engine::Parts Engine::read_parts(std::shared_ptr<const Snapshot> snapshot,
                                 std::optional<Precision> precision) {
  expect_precision(*snapshot, precision);
  const std::shared_ptr<const MappedRows> rows = MappedRows::load(snapshot);
  std::optional<VectorStore> vectors;
  std::optional<TextStore> texts;
  Parts parts;
  parts.state = std::make_shared<State>(rows->dim());
  State& state = *parts.state;
  state.mapped_rows = rows;
  parallel_for(3, std::min(3u, max_workers()), [&](unsigned, std::size_t task) {
    switch (task) {
      case 0:
        load_nodes(snapshot, state);
        state.edges = load_edges(*snapshot, rows->dim(), state.trie);
        return;
      case 1:
        vectors.emplace(load_vector_store(snapshot, rows->dim(), rows->size()));
        return;
      default:
        texts.emplace(load_text_store(snapshot, rows->size()));
    }
  });
  parts.stores = std::make_unique<Stores>(*std::move(vectors), *std::move(texts));
  parts.stores->show(state);
  return parts;
}

void Engine::save(const std::string& path) const {
  const StatePtr state = this->state();
  const KeptRows rows(state);
  SnapshotWriter writer(path);
  write_parts(*state, rows, graph_.graph(state->generation).get(), writer);
  writer.finish();
}

std::unique_ptr<Engine> Engine::load(const std::string& path, std::optional<Precision> precision,
                                     bool check_all) {
  const auto check = check_all ? Snapshot::Check::kNow : Snapshot::Check::kWhenUsed;
  const auto snapshot = Snapshot::open(path, check);
  Parts parts = read_parts(snapshot, precision);
  const std::size_t dim = parts.state->vectors.dim();
  std::unique_ptr<Engine> engine(new Engine(dim, std::move(parts.stores)));
  engine->graph_.restore_with(graph_of(snapshot));
  engine->state_ = std::move(parts.state);
  return engine;
}

std::optional<std::vector<Row>> Engine::compact(double least_share) {
  if (!(least_share >= 0 && least_share <= 1)) {
    fail(ErrorCode::kInvalidArgument,
         "least_share must be 0 to 1, got " + std::to_string(least_share));
  }
  const std::lock_guard lock(writing_);
  const StatePtr before = state();
  const std::uint64_t rows = before->vectors.size();
  const auto pays = [&](std::uint64_t kept) {
    return kept < rows &&
           static_cast<double>(rows - kept) >= least_share * static_cast<double>(rows);
  };
  if (!pays(before->live().size())) return std::nullopt;
  const KeptRows kept(before);
  if (!pays(kept.count())) return std::nullopt;
  SnapshotWriter writer;
  write_parts(*before, kept, nullptr, writer);
  const std::shared_ptr<Snapshot> snapshot = writer.finish_in_memory();
  Parts parts = read_parts(snapshot, std::nullopt);
  forget_read_sections(*snapshot);
  parts.state->version = before->version;
  parts.state->generation = before->generation + 1;
  graph_.restore_with(nullptr);  // rows have other numbers: a new graph is built
  stores_ = std::move(parts.stores);
  publish(std::move(parts.state), Free::kInBackgroundAndTrim);
  return kept.numbers();
}

}  // namespace knarr
