// State: one consistent version of everything the engine knows.
//
// It is immutable once published, and every reading call works on exactly one. All its parts are
// shared with other versions: trees copy on write, and views of the append-only stores end where
// the version ends. Invariants: the root's rows are the live rows; `by_kind` splits them; a live
// row's record names its node, whose only row it is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/segments.h"
#include "base/shared_text.h"
#include "base/types.h"
#include "edges/edges.h"
#include "engine/mapped_rows.h"
#include "filter/filter.h"
#include "grep/text/text.h"
#include "uri/trie.h"
#include "vectors/store.h"

namespace knarr {

// What a row stands for. Written once, when the row is made.
struct RowRecord {
  NodeId node = kNoNode;      // its object
  NodeId document = kNoNode;  // the document it was added with, if any
  Kind kind = Kind::kChunk;
  Ref<const SharedText> preview;  // null: the beginning of its text
};

using Records = Segments<RowRecord, 4096>;

struct State {
  // Of an empty engine.
  explicit State(std::size_t dim);

  Trie trie;
  KindRows by_kind;
  VectorView vectors;
  TextView texts;
  std::shared_ptr<const MappedRows> mapped_rows;  // the first rows; null: there are none
  Records::View records;                          // of the rows behind them
  EdgeStore edges;
  std::uint64_t version = 0;  // grows by one with each change
  std::uint64_t generation;   // grows by one when rows get other numbers

  // The node of a URI. Throws kNotFound, kInvalidArgument.
  NodeId resolve(std::string_view uri) const;
  std::vector<NodeId> resolve_each(std::span<const std::string_view> uris) const;
  const RowSet& live() const { return trie.node(Trie::kRoot).rows; }
  // The rows of a scope that a filter lets pass. Throws kInvalidArgument for one of other numbers.
  RowSet allowed(NodeId scope, const Filter& filter) const;

  // Of any row below vectors.size(). A row that a file keeps for its text only has no node.
  NodeId node(Row row) const {
    return row < mapped() ? mapped_rows->node(row) : records[row - mapped()].node;
  }
  NodeId document_node(Row row) const {
    return row < mapped() ? mapped_rows->document(row) : records[row - mapped()].document;
  }
  Kind kind(Row row) const {
    return row < mapped() ? mapped_rows->kind(row) : records[row - mapped()].kind;
  }
  std::string_view given_preview(Row row) const;  // empty: none

  std::string uri(Row row) const { return trie.uri(node(row)); }
  // The URI of the row's document; empty when it has none or lies no longer under it.
  std::string document(Row row) const;
  // What was given when the row was added, else the beginning of its text.
  std::string preview(Row row) const;
  // Whether a's URI sorts before b's, as strings. Live rows.
  bool uri_before(Row a, Row b) const { return trie.uri_before(node(a), node(b)); }

 private:
  Row mapped() const { return mapped_rows ? mapped_rows->size() : 0; }
};

using StatePtr = std::shared_ptr<const State>;

}  // namespace knarr
