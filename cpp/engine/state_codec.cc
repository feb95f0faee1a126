#include "engine/state_codec.h"

#include <string>

#include "base/coding.h"
#include "base/error.h"
#include "uri/restore.h"

namespace knarr {
namespace {

constexpr std::string_view kNodes = "engine.nodes";
constexpr std::string_view kNames = "engine.names";
constexpr std::size_t kNodeBytes = 16;

void check_documents(const Snapshot& snapshot, const MappedRows& rows, const Trie& trie) {
  NodeId known = kNoNode;  // the rows of a document are contiguous
  for (Row row = 0; row < rows.size(); ++row) {
    const NodeId document = rows.document(row);
    if (document == known) continue;
    const TrieNode* node = trie.get(document);
    if (document != kNoNode && (node == nullptr || node->is_object)) {
      snapshot.corrupt("engine.rows", "a document that is not a directory");
    }
    known = document;
  }
}

// The live rows of each kind, run by run; returns how many there are.
std::size_t split_kinds(const MappedRows& rows, KindRows& by_kind) {
  const auto key = [&](Row row) {
    return rows.node(row) == kNoNode ? -1 : static_cast<int>(rows.kind(row));
  };
  std::size_t live = 0;
  for (Row begin = 0, end; begin < rows.size(); begin = end) {
    const int kind = key(begin);
    for (end = begin + 1; end < rows.size() && key(end) == kind;) ++end;
    if (kind < 0) continue;
    live += end - begin;
    by_kind[static_cast<std::size_t>(kind)].add_range(begin, end);
  }
  return live;
}

// The slices of a block. Neighbours whose rows are removed become one; none when all are removed.
std::vector<Slice> kept_slices(const Block& block, const RowSet& live) {
  std::vector<Slice> out;
  bool is_gone = false, has_live = false;  // the slice before; any slice
  for (std::uint32_t i = 0; i < block.slice_count(); ++i) {
    const Slice slice = block.slice(i);
    const bool was_gone = is_gone;
    is_gone = !live.contains(slice.row);
    has_live = has_live || !is_gone;
    if (is_gone && was_gone) {
      out.back().end_byte = slice.end_byte;
    } else {
      out.push_back(slice);
    }
  }
  return has_live ? out : std::vector<Slice>();
}

}  // namespace

KeptRows::KeptRows(StatePtr state) : state_(std::move(state)) {
  const RowSet& live = state_->live();
  rows_ = live;
  for (BlockId id = 0; id < state_->texts.block_count(); ++id) {
    const Block* block = state_->texts.block(id);
    if (block == nullptr) continue;
    const std::vector<Slice> slices = kept_slices(*block, live);
    if (slices.empty()) continue;
    blocks_.push_back(block);
    for (const Slice& slice : slices) {
      if (!live.contains(slice.row)) rows_.add_range(slice.row, slice.row + 1);
    }
  }
  numbers_.assign(state_->vectors.size(), kNoRow);
  rows_.for_each_range([this](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) numbers_[row] = count_++;
  });
}

TextStore KeptRows::texts() const {
  TextStore store;
  for (const Block* block : blocks_) {
    std::vector<Slice> slices = kept_slices(*block, state_->live());
    for (Slice& slice : slices) slice.row = number(slice.row);
    store.append_mapped(block->text(), state_, slices);
  }
  if (blocks_.size() == state_->texts.block_count()) {  // no block is left out: the index fits
    const auto index = state_->texts.plain_index();
    if (index && index->size() == store.index_units().count()) store.adopt_index(*index);
  }
  return store;
}

void save_nodes_and_rows(const State& state, const KeptRows& rows, SnapshotWriter& writer) {
  std::vector<RowFacts> facts;
  facts.reserve(rows.count());
  rows.rows().for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end; ++row) {
      facts.push_back({kNoNode, kNoNode, state.kind(row), {}});
      if (!state.live().contains(row)) continue;
      const NodeId document = state.document_node(row);
      if (state.trie.contains(document)) facts.back().document = document;
      facts.back().node = state.node(row);
      facts.back().preview = state.given_preview(row);
    }
  });
  Encoder out;
  std::string names;
  const std::vector<NodeId> nodes = state.trie.subtree(Trie::kRoot);
  out.u32(state.trie.next_id());
  out.u32(0);
  out.u64(nodes.size() - 1);
  for (const NodeId id : nodes) {
    if (id == Trie::kRoot) continue;
    const TrieNode& node = state.trie.node(id);
    out.u32(id);
    out.u32(node.parent);
    out.u32(node.is_object ? rows.number(node.rows.first()) : kNoRow);
    out.u32(static_cast<std::uint32_t>(node.name.text().size()));
    names += node.name.text();
  }
  writer.add(kNodes, out.bytes());
  writer.add(kNames, names);
  save_rows(state.vectors.dim(), facts, writer);
}

void load_nodes(const std::shared_ptr<const Snapshot>& snapshot, State& state) {
  const MappedRows& rows = *state.mapped_rows;
  const std::string place = snapshot->path() + ": section '" + std::string(kNodes) + "'";
  Decoder in(snapshot->section(kNodes), place);
  std::string_view names = snapshot->section_text(kNames);
  const NodeId next_id = in.u32();
  if (in.u32() != 0) in.refuse("reserved bytes that are not zero");
  const std::uint64_t n = in.count(kNodeBytes);
  if (in.left() != n * kNodeBytes) in.refuse("its count does not fit its size");
  TrieRestorer restorer(n, snapshot);
  std::size_t objects = 0;
  try {
    for (std::uint64_t i = 0; i < n; ++i) {
      const NodeId id = in.u32();
      const NodeId parent = in.u32();
      const Row row = in.u32();
      const std::uint32_t bytes = in.u32();
      if (bytes > names.size()) fail(ErrorCode::kCorruption, "a name that ends beyond the names");
      const std::string_view name = names.substr(0, bytes);
      names.remove_prefix(bytes);
      if (const std::string fault = component_fault(name); !fault.empty()) {
        fail(ErrorCode::kCorruption, "a name that " + fault);
      }
      if (row != kNoRow) {
        // Ids are distinct: no two nodes have one row.
        if (row >= rows.size() || rows.node(row) != id) {
          fail(ErrorCode::kCorruption, "a row that does not exist, or of another node");
        }
        ++objects;
      }
      restorer.add(id, parent, name, row);
    }
    if (!names.empty()) fail(ErrorCode::kCorruption, "more names than nodes");
    state.trie = restorer.finish(next_id);
  } catch (const Error& error) {
    snapshot->corrupt(kNodes, error.what());
  }
  if (split_kinds(rows, state.by_kind) != objects) {
    snapshot->corrupt("engine.rows", "a row of a node that does not exist");
  }
  check_documents(*snapshot, rows, state.trie);
}

void forget_read_sections(Snapshot& snapshot) { snapshot.forget(kNodes); }

}  // namespace knarr
