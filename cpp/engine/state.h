// State: one consistent version of everything the engine knows.
//
// It is immutable once published, and every reading call works on exactly one. Versions share
// almost all memory: trees copy on write, and a version's views of the append-only stores end at
// the last row that it knows. Invariants: the root's rows are the live rows; `by_kind` partitions
// them; a live row's record names its node, and that node's only row is this row.
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

// The record of a row. Written once, when the row is added.
struct RowRecord {
  NodeId node = kNoNode;      // its object
  NodeId document = kNoNode;  // the document it was added with, if any
  Kind kind = Kind::kChunk;
  Ref<const SharedText> preview;  // null: the beginning of its text
};

using Records = Segments<RowRecord, 4096>;

struct State {
  // The state of an empty engine.
  explicit State(std::size_t dim);

  Trie trie;
  KindRows by_kind;
  VectorView vectors;
  TextView texts;
  std::shared_ptr<const MappedRows> mapped_rows;  // the first rows; null: there are none
  Records::View records;                          // of the rows after them
  EdgeStore edges;
  std::uint64_t version = 0;  // grows by one with each change
  std::uint64_t generation;   // grows by one when rows are renumbered

  // The node of a URI. A node other than the root without a row of `filter` is missing, with the
  // error of one that is. Throws kNotFound; kInvalidArgument for a malformed URI and for a filter
  // of another generation.
  NodeId resolve(std::string_view uri, const Filter& filter = {}) const;
  std::vector<NodeId> resolve_each(std::span<const std::string_view> uris,
                                   const Filter& filter = {}) const;
  // Like resolve(); kNoNode when the node is missing.
  NodeId find(std::string_view uri, const Filter& filter) const;
  const RowSet& live() const { return trie.node(Trie::kRoot).rows; }
  // The rows of a scope that pass a filter. Throws kInvalidArgument when the filter belongs to
  // another generation.
  RowSet allowed(NodeId scope, const Filter& filter) const;
  RowSet allowed(std::string_view scope, const Filter& filter) const {
    return allowed(resolve(scope, filter), filter);
  }

  // For any row below vectors.size(). A removed row that is kept for its text has no node.
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
  // The URI of the row's document; empty when it has none or is no longer under it.
  std::string document(Row row) const;
  // The preview given when the row was added, else the beginning of its text.
  std::string preview(Row row) const;
  // Whether a's URI sorts before b's, as strings. Live rows.
  bool uri_before(Row a, Row b) const { return trie.uri_before(node(a), node(b)); }

 private:
  void check_generation(const Filter& filter) const;
  bool is_seen(NodeId node, const Filter& filter) const {
    return !filter.rows || node == Trie::kRoot || trie.node(node).rows.intersects(*filter.rows);
  }
  Row mapped() const { return mapped_rows ? mapped_rows->size() : 0; }
};

using StatePtr = std::shared_ptr<const State>;

}  // namespace knarr
