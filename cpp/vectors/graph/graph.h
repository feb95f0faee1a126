// Graph: a way to the nearest rows that reads a few hundred of them, however many there are.
//
// It is for wide scopes of large stores. Rows are slots of a small-world graph (graph_links.h), in
// the order in which they were added, and are compared by their short rows. A filter is asked about
// each row on the way, so that removing and moving rows changes nothing here; rows that came after
// the graph was made are not in it, and a search reads them by themselves (graph_search.h).
//
// What holds. A graph is immutable. It holds each row below rows_end() that was live when it was
// made. Made by one thread in the order of rows, it is a function of the rows that went in, and of
// nothing else. A walk through it is exact about what it saw and promises nothing about what it did
// not see: how much that is was measured when it was made (graph_tuning.h).
//
// Cost at dimension 384: about 150 bytes for each row, and as many again while a graph is copied to
// be grown.
//
// Threads: any number may read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "filter/rows.h"
#include "vectors/graph/graph_links.h"
#include "vectors/graph/graph_tuning.h"
#include "vectors/store.h"

namespace knarr {

class Graph;
using GraphPtr = std::shared_ptr<const Graph>;

class Graph {
 public:
  // A graph of the live rows of a view: `from` with what has been added since, or a new one when
  // there is none to start from. Null when `stop` became true meanwhile. Requires
  // GraphLinks::is_built_in(), view.has_quantised_rows(), live within view, and a `from` of the same
  // rows. Throws std::bad_alloc.
  static GraphPtr grow(const Graph* from, const VectorView& view, const RowSet& live,
                       const std::atomic<bool>& stop);

  std::size_t size() const { return rows_.size(); }  // slots, of rows that are gone too
  Row rows_end() const { return rows_end_; }

  // The row of a slot; kNoRow when a snapshot has left it out: such a slot only leads on.
  Row row(Slot slot) const { return rows_[slot]; }
  const std::byte* quantised_row(Slot slot) const { return vectors_[slot]; }
  const QuantisedShape& shape() const { return view_.quantised_shape(); }
  const GraphLinks& links() const { return *links_; }
  const GraphTuning& tuning() const { return tuning_; }

  std::size_t size_bytes() const;  // memory, without the short rows that it shares with the store

 private:
  friend class GraphCodec;

  Graph(const VectorView& view, std::unique_ptr<GraphLinks> links)
      : view_(view), links_(std::move(links)) {}
  void add(Row row);

  VectorView view_;  // keeps the short rows alive
  std::unique_ptr<GraphLinks> links_;
  std::vector<Row> rows_;
  std::vector<const std::byte*> vectors_;
  std::shared_ptr<const void> left_out_;  // owns the short rows of slots without a row
  Row rows_end_ = 0;
  GraphTuning tuning_;
};

}  // namespace knarr
