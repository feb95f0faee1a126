// Graph: approximate nearest rows by a hierarchical navigable small world (HNSW; Malkov and
// Yashunin, TPAMI 2020), built, searched and serialised by USearch's index_gt.
//
// A search reads some hundreds of rows, however many there are, and promises nothing about the
// rows that it did not reach. Rows are nodes 0, 1, 2, ... ("slots") in the order in which they were
// added, and are compared by their quantised rows, which the graph borrows from the store. A
// removed row keeps its slot: searches pass through it, and their filter leaves it out. Rows added
// after the graph was built are not in it; vectors/graph_plan.h scores them beside it.
//
// Invariant: a graph is immutable, and holds each row below rows_end() that was live when it was
// built. One thread adds rows in their order, and distances are products of whole numbers, so equal
// rows added to equal graphs give equal graphs, and equal searches equal results.
//
// Cost at dimension 384: about 160 bytes of memory for each row beside its quantised row, and as
// much again while a graph is copied to be grown.
//
// Threads: any number may search. Each search borrows one of 64 work areas of USearch's, and waits
// when all of them are taken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "base/types.h"
#include "filter/rows.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

// The rows 0, ..., end - 1 of a store, by their quantised rows.
struct GraphRows {
  QuantisedShape shape{0};
  Row end = 0;
  // Keeps the rows in memory for as long as it exists. Throws Error kCorruption for a damaged one.
  std::function<const std::byte*(Row)> quantised_row;
};

struct GraphSearch {
  std::vector<ScoredRow> rows;  // each with the highest score that it can have
  std::uint64_t compared = 0;   // how many distances were computed
};

class Graph;
using GraphPtr = std::shared_ptr<const Graph>;

class Graph {
 public:
  // Whether this build has USearch. Without it no graph exists, and build() throws kUnsupported.
  static bool is_built_in();

  // The graph of the live rows: `base` and the rows after it, or a new graph when `base` is null.
  // Null when `stop` became true meanwhile. Requires live rows below rows.end, and a base of the
  // same rows. Throws std::bad_alloc, and what rows.quantised_row throws.
  static GraphPtr build(const Graph* base, const GraphRows& rows, const RowSet& live,
                        const std::atomic<bool>& stop);
  ~Graph();

  std::size_t size() const { return row_of_slot_.size(); }  // slots, of removed rows too
  Row rows_end() const { return rows_end_; }
  std::size_t size_bytes() const;  // of memory, without the quantised rows

  // Up to `expansion` (HNSW's ef) rows of `allowed` that are near the query. Throws std::bad_alloc.
  GraphSearch search(const QuantisedQuery& query, const RowSet& allowed,
                     std::size_t expansion) const;

  // Writes the graph in pieces, as FORMAT.md of the snapshot room draws it.
  void save(FunctionRef<void(std::span<const std::byte>)> out) const;

  // A graph of rows below rows.end. The bytes are outside data: null, or Error kCorruption, unless
  // they are a whole graph of this version with all the live rows that it should have.
  static GraphPtr load(std::span<const std::byte> bytes, const GraphRows& rows, const RowSet& live);

 private:
  struct Links;

  explicit Graph(const GraphRows& rows);
  void add(Row row);

  GraphRows rows_;
  std::unique_ptr<Links> links_;
  std::vector<Row> row_of_slot_;                  // ascending
  std::vector<const std::byte*> quantised_rows_;  // of the slots
  Row rows_end_ = 0;
};

}  // namespace knarr
