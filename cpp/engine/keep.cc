// Save, load and compact.
//
// A snapshot holds the nodes in document order (parents first), the rows' records, the vectors as
// one matrix, their codes, the texts and the edges. FORMAT.md of the snapshot room draws the
// container; the two sections encoded here are, in the terms of base/coding.h:
//   engine.nodes    u32 next id, u64 count, then for each node but the root:
//                   u32 id, u32 parent, u32 row (kNoRow: a directory), string name
//   engine.rows     u32 dim, u64 count, then for each row:
//                   u32 document (kNoNode: none), u8 kind, string preview
// Loading believes nothing: what is not a whole and consistent engine throws kCorruption.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/coding.h"
#include "base/error.h"
#include "base/parallel.h"
#include "edges/edges_codec.h"
#include "engine/engine.h"
#include "engine/kept_rows.h"
#include "engine/stores.h"
#include "grep/text_codec.h"
#include "snapshot/snapshot.h"
#include "uri/restore.h"
#include "vectors/codes_codec.h"
#include "vectors/graph_codec.h"
#include "vectors/short_codec.h"
#include "vectors/vectors_codec.h"

namespace knarr {
namespace {

constexpr std::string_view kNodes = "engine.nodes";
constexpr std::string_view kRows = "engine.rows";

// --- Saving --------------------------------------------------------------------------------------

std::string encode_nodes(const State& state, const KeptRows& rows) {
  Encoder out;
  out.u32(state.trie.next_id());
  const std::vector<NodeId> nodes = state.trie.subtree(Trie::kRoot);
  out.u64(nodes.size() - 1);
  for (const NodeId id : nodes) {
    if (id == Trie::kRoot) continue;
    const TrieNode& node = state.trie.node(id);
    out.u32(id);
    out.u32(node.parent);
    out.u32(node.is_object ? rows.number(node.rows.first()) : kNoRow);
    out.string(node.name->text);
  }
  return out.bytes();
}

std::string encode_rows(const State& state, const KeptRows& rows, std::size_t dim) {
  Encoder out;
  out.u32(static_cast<std::uint32_t>(dim));
  out.u64(rows.count());
  rows.rows().for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) {
      const RowRecord& record = state.records[row];
      const bool is_live = state.live().contains(row);
      const bool has_document = is_live && state.trie.contains(record.document);
      out.u32(has_document ? record.document : kNoNode);
      out.u8(static_cast<std::uint8_t>(record.kind));
      out.string(is_live && record.preview ? record.preview->text : std::string_view());
    }
  });
  return out.bytes();
}

// --- Loading -------------------------------------------------------------------------------------

// Reads the parts of an engine into a State, in the order in which they depend on each other.
class Loader {
 public:
  explicit Loader(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}

  void expect(std::optional<Precision> precision) const {
    const Precision held = stored_precision(*snapshot_);
    if (!precision || *precision == held) return;
    fail(ErrorCode::kInvalidArgument, snapshot_->path() + ": expected vectors in " +
                                          name(*precision) + ", it holds them in " + name(held) +
                                          "; load it as it is, or add them to a new engine");
  }

  void read_rows() {
    const std::string place = place_of(kRows);
    Decoder in(snapshot_->section(kRows), place);
    dim_ = in.u32();
    if (dim_ < 1 || dim_ > 65536) corrupt(kRows, "a dimension out of range");
    const std::uint64_t n = in.count(9);
    if (n >= kNoRow) corrupt(kRows, "too many rows");
    records_.resize(n);
    for (RowRecord& record : records_) {
      record.document = in.u32();
      const std::uint8_t kind = in.u8();
      if (kind > 1) corrupt(kRows, "an unknown kind");
      record.kind = static_cast<Kind>(kind);
      const std::string_view preview = in.string();
      if (!is_utf8(preview)) corrupt(kRows, "a preview that is not UTF-8");
      if (!preview.empty()) record.preview = SharedText::make(preview);
    }
    in.expect_end();
  }

  VectorStore vectors() const {
    return VectorStore(
        dim_, load_vectors(snapshot_, dim_, records_.size()),
        load_codes(snapshot_, dim_, records_.size()),
        load_short_rows(snapshot_, RowFormat(stored_precision(*snapshot_), dim_), records_.size()));
  }

  void read_nodes(Trie& trie, KindRows& by_kind) {
    const std::string place = place_of(kNodes);
    Decoder in(snapshot_->section(kNodes), place);
    const NodeId next_id = in.u32();
    const std::uint64_t n = in.count(16);
    TrieRestorer restorer(n);
    for (std::uint64_t i = 0; i < n; ++i) read_node(in, restorer);
    in.expect_end();
    try {
      trie = restorer.finish(next_id);
    } catch (const Error& error) {
      corrupt(kNodes, error.what());
    }
    split_kinds(by_kind);
    check_documents(trie);
  }

  TextStore texts() const {
    TextStore store = load_texts(snapshot_);
    if (store.view().rows_end() > records_.size()) {
      corrupt("text.blocks", "texts of rows that are not there");
    }
    return store;
  }

  EdgeStore edges(const Trie& trie) const {
    EdgeStore edges = EdgeCodec::load(*snapshot_);
    if (edges.dim() != dim_) corrupt("edges.questions", "questions of another dimension");
    for (const Edge& edge : edges.list(0, std::numeric_limits<std::size_t>::max())) {
      if (!trie.contains(edge.source) || !trie.contains(edge.target)) {
        corrupt("edges.links", "an edge of a node that is not there");
      }
    }
    return edges;
  }

  std::size_t dim() const { return dim_; }
  std::vector<RowRecord>& records() { return records_; }

 private:
  // For errors of decoders, as Snapshot::corrupt writes it.
  std::string place_of(std::string_view section) const {
    return snapshot_->path() + ": section " + std::string(section);
  }
  [[noreturn]] void corrupt(std::string_view section, std::string_view reason) const {
    snapshot_->corrupt(section, reason);
  }

  void read_node(Decoder& in, TrieRestorer& restorer) {
    const NodeId id = in.u32();
    const NodeId parent = in.u32();
    const Row row = in.u32();
    const std::string_view name = in.string();
    if (component_fault(name) != nullptr) in.refuse("a name that is no component");
    if (row != kNoRow) {
      if (row >= records_.size() || records_[row].node != kNoNode) {
        in.refuse("a row that is not there, or another's");
      }
      records_[row].node = id;
    }
    try {
      restorer.add(id, parent, name, row);
    } catch (const Error& error) {
      corrupt(kNodes, error.what());
    }
  }

  void check_documents(const Trie& trie) const {
    NodeId known = kNoNode;  // the rows of a document stand together
    for (const RowRecord& record : records_) {
      if (record.document == known) continue;
      const TrieNode* document = trie.get(record.document);
      if (record.document != kNoNode && (document == nullptr || document->is_object)) {
        corrupt(kRows, "a document that is no directory");
      }
      known = record.document;
    }
  }

  // The live rows of each kind, run by run.
  void split_kinds(KindRows& by_kind) const {
    const auto key = [](const RowRecord& record) {
      return record.node == kNoNode ? -1 : static_cast<int>(record.kind);
    };
    for (std::size_t begin = 0, end; begin < records_.size(); begin = end) {
      const int kind = key(records_[begin]);
      for (end = begin + 1; end < records_.size() && key(records_[end]) == kind;) ++end;
      if (kind < 0) continue;
      by_kind[static_cast<std::size_t>(kind)].add_range(static_cast<Row>(begin),
                                                        static_cast<Row>(end));
    }
  }

  std::shared_ptr<const Snapshot> snapshot_;
  std::size_t dim_ = 0;
  std::vector<RowRecord> records_;
};

// --- Both ----------------------------------------------------------------------------------------

void write_parts(const State& state, const KeptRows& rows, const Graph* graph,
                 SnapshotWriter& writer) {
  writer.add(kNodes, encode_nodes(state, rows));
  writer.add(kRows, encode_rows(state, rows, state.vectors.dim()));
  save_vectors(state.vectors, rows.rows(), writer);
  save_codes(state.vectors, rows.rows(), writer);
  save_short_rows(state.vectors, rows.rows(), writer);
  if (graph != nullptr) GraphCodec::save(*graph, rows.rows(), writer);
  TextStore texts = rows.texts();
  save_texts(texts.view(), writer);
  EdgeCodec::save(state.edges, writer);
}

// How the snapshot that a state was read from gives its graph back.
GraphKeeper::Restore graph_of(std::shared_ptr<const Snapshot> snapshot, const State& state) {
  return [snapshot = std::move(snapshot), rows = state.vectors.size()](const VectorView& view,
                                                                       const RowSet& live) {
    return GraphCodec::load(*snapshot, rows, view, live);
  };
}

}  // namespace

// The vectors, by far the largest part, and all that hangs on the rows' records are read side by
// side.
Engine::Parts Engine::read_parts(std::shared_ptr<const Snapshot> snapshot,
                                 std::optional<Precision> precision) {
  Loader loader(std::move(snapshot));
  loader.expect(precision);
  loader.read_rows();
  std::optional<VectorStore> vectors;
  std::optional<TextStore> texts;
  Parts parts;
  parts.state = std::make_shared<State>(loader.dim());
  parallel_for(3, std::min(3u, max_workers()), [&](unsigned, std::size_t task) {
    switch (task) {
      case 0:
        vectors.emplace(loader.vectors());
        return;
      case 1:
        loader.read_nodes(parts.state->trie, parts.state->by_kind);
        parts.state->edges = loader.edges(parts.state->trie);
        return;
      default:
        texts.emplace(loader.texts());
    }
  });
  parts.stores = std::make_unique<Stores>(*std::move(vectors), *std::move(texts));
  for (RowRecord& record : loader.records()) parts.stores->records.push_back(std::move(record));
  parts.stores->show(*parts.state);
  return parts;
}

void Engine::save(const std::string& path) const {
  const StatePtr state = this->state();
  const KeptRows rows(state);
  SnapshotWriter writer(path);
  write_parts(*state, rows, graph_.graph(state->numbering).get(), writer);
  writer.finish();
}

std::unique_ptr<Engine> Engine::load(const std::string& path, std::optional<Precision> precision,
                                     bool check_all) {
  const auto check = check_all ? Snapshot::Check::kNow : Snapshot::Check::kWhenUsed;
  const auto snapshot = Snapshot::open(path, check);
  Parts parts = read_parts(snapshot, precision);
  const std::size_t dim = parts.state->vectors.dim();
  std::unique_ptr<Engine> engine(new Engine(dim, std::move(parts.stores)));
  engine->graph_.restore_with(graph_of(snapshot, *parts.state));
  engine->state_ = std::move(parts.state);
  return engine;
}

// A save to memory and a load from there: what is kept stands in new memory, close together, and
// the old memory goes when the last reader of the old state has.
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
  write_parts(*before, kept, graph_.graph(before->numbering).get(), writer);
  const std::shared_ptr<Snapshot> snapshot = writer.finish_in_memory();
  Parts parts = read_parts(snapshot, std::nullopt);
  for (const std::string_view name : {kNodes, kRows}) snapshot->forget(name);
  parts.state->version = before->version;
  parts.state->numbering = before->numbering + 1;
  graph_.restore_with(graph_of(snapshot, *parts.state));
  stores_ = std::move(parts.stores);
  publish(std::move(parts.state), LetGo::kAndTrim);
  return kept.numbers();
}

}  // namespace knarr
