// Save and load.
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

#include "base/coding.h"
#include "base/error.h"
#include "edges/edges_codec.h"
#include "engine/engine.h"
#include "engine/stores.h"
#include "grep/text_codec.h"
#include "snapshot/snapshot.h"
#include "vectors/codes_codec.h"
#include "vectors/short_codec.h"
#include "vectors/vectors_codec.h"

namespace knarr {
namespace {

constexpr std::string_view kNodes = "engine.nodes";
constexpr std::string_view kRows = "engine.rows";

// --- Saving --------------------------------------------------------------------------------------

// The rows that go into a file: the live ones, and those whose bytes are part of a text that lives
// on, since offsets into it must stay. Numbers close up; their order stays.
class Compaction {
 public:
  explicit Compaction(const StatePtr& state) : numbers_(state->vectors.size(), kNoRow) {
    kept_ = state->live();
    for (BlockId id = 0; id < state->texts.block_count(); ++id) {
      const Block* block = state->texts.block(id);
      if (block != nullptr && is_live(*state, *block)) {
        for (const Slice& slice : slices_of(*block)) kept_.add_range(slice.row, slice.row + 1);
        blocks_.push_back(block);
      }
    }
    kept_.for_each_range([this](Row begin, Row end) {
      for (Row row = begin; row < end; ++row) numbers_[row] = count_++;
    });
  }

  const RowSet& kept() const { return kept_; }
  Row count() const { return count_; }
  Row number(Row row) const { return numbers_[row]; }

  // The texts under their new numbers. Nothing is copied: `state` keeps the bytes.
  TextStore texts(const StatePtr& state) const {
    TextStore store;
    for (const Block* block : blocks_) {
      std::vector<Slice> slices = slices_of(*block);
      for (Slice& slice : slices) slice.row = number(slice.row);
      store.append_mapped(block->text(), state, slices);
    }
    if (blocks_.size() == state->texts.block_count()) {  // nothing is left out: nor of the index
      const auto index = state->texts.plain_index();
      if (index && index->size() == store.index_units().count()) store.adopt_index(*index);
    }
    return store;
  }

 private:
  static std::vector<Slice> slices_of(const Block& block) {
    std::vector<Slice> out;
    for (std::uint32_t i = 0; i < block.slice_count(); ++i) out.push_back(block.slice(i));
    return out;
  }
  static bool is_live(const State& state, const Block& block) {
    return std::ranges::any_of(
        slices_of(block), [&](const Slice& slice) { return state.live().contains(slice.row); });
  }

  RowSet kept_;
  std::vector<Row> numbers_;
  std::vector<const Block*> blocks_;
  Row count_ = 0;
};

std::string encode_nodes(const State& state, const Compaction& rows) {
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

std::string encode_rows(const State& state, const Compaction& rows, std::size_t dim) {
  Encoder out;
  out.u32(static_cast<std::uint32_t>(dim));
  out.u64(rows.count());
  rows.kept().for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) {
      const RowRecord& record = state.records[row];
      const bool is_live = state.live().contains(row);
      const bool has_document = is_live && state.trie.contains(record.document);
      out.u32(has_document ? record.document : kNoNode);
      out.u8(static_cast<std::uint8_t>(record.kind));
      out.string(is_live ? std::string_view(record.preview) : std::string_view());
    }
  });
  return out.bytes();
}

// --- Loading -------------------------------------------------------------------------------------

// Reads the parts of an engine into a State, in the order in which they depend on each other.
class Loader {
 public:
  explicit Loader(const std::string& path) : snapshot_(Snapshot::open(path)) {}

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
      record.preview = in.string();
      if (!is_utf8(record.preview)) corrupt(kRows, "a preview that is not UTF-8");
    }
    in.expect_end();
  }

  VectorStore vectors() const {
    return VectorStore(dim_, load_vectors(snapshot_, dim_, records_.size()),
                       load_codes(snapshot_, dim_, records_.size()),
                       load_short_rows(snapshot_, dim_, records_.size()));
  }

  void read_nodes(Trie& trie, KindRows& by_kind) {
    const std::string place = place_of(kNodes);
    Decoder in(snapshot_->section(kNodes), place);
    const NodeId next_id = in.u32();
    const std::uint64_t n = in.count(16);
    std::vector<NodeId> ids;
    ids.reserve(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      ids.push_back(in.u32());
      read_node(in, trie, ids.back(), next_id);
    }
    in.expect_end();
    trie.set_next_id(next_id);
    trie.gather_rows(ids);
    for (const NodeId id : ids) {
      if (trie.node(id).rows.empty()) corrupt(kNodes, "a directory without objects");
    }
    split_kinds(by_kind);
    for (const RowRecord& record : records_) {
      const TrieNode* document = trie.get(record.document);
      if (record.document != kNoNode && (document == nullptr || document->is_object)) {
        corrupt(kRows, "a document that is no directory");
      }
    }
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

  void read_node(Decoder& in, Trie& trie, NodeId id, NodeId next_id) {
    const NodeId parent = in.u32();
    const Row row = in.u32();
    const std::string_view name = in.string();
    const TrieNode* above = trie.get(parent);
    if (id >= next_id) corrupt(kNodes, "an id that was never given out");
    if (above == nullptr || above->is_object)
      corrupt(kNodes, "a parent that is no directory before it");
    if (component_fault(name) != nullptr) corrupt(kNodes, "a name that is no component");
    if (row != kNoRow) {
      if (row >= records_.size() || records_[row].node != kNoNode) {
        corrupt(kNodes, "a row that is not there, or another's");
      }
      records_[row].node = id;
    }
    if (trie.contains(id) || trie.child(parent, name) != kNoNode)
      corrupt(kNodes, "an id or a name twice");
    trie.restore(id, parent, name, row != kNoRow, row);
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

}  // namespace

void Engine::save(const std::string& path) const {
  const StatePtr state = this->state();
  const Compaction rows(state);
  SnapshotWriter writer(path);
  writer.add(kNodes, encode_nodes(*state, rows));
  writer.add(kRows, encode_rows(*state, rows, dim_));
  save_vectors(state->vectors, rows.kept(), writer);
  save_codes(state->vectors, rows.kept(), writer);
  save_short_rows(state->vectors, rows.kept(), writer);
  TextStore texts = rows.texts(state);
  save_texts(texts.view(), writer);
  EdgeCodec::save(state->edges, writer);
  writer.finish();
}

std::unique_ptr<Engine> Engine::load(const std::string& path, std::optional<Precision> precision) {
  Loader loader(path);
  loader.expect(precision);
  loader.read_rows();
  auto stores = std::make_unique<Stores>(loader.vectors(), loader.texts());
  auto first = std::make_shared<State>(loader.dim());
  loader.read_nodes(first->trie, first->by_kind);
  first->edges = loader.edges(first->trie);
  for (RowRecord& record : loader.records()) stores->records.push_back(std::move(record));
  stores->show(*first);
  std::unique_ptr<Engine> engine(new Engine(loader.dim(), std::move(stores)));
  engine->state_ = std::move(first);
  return engine;
}

}  // namespace knarr
