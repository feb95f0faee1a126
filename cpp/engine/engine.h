// Engine: scoped search over objects that have a URI, a vector and perhaps a text.
//
//   Engine engine(384);
//   engine.add({.uris = uris, .vectors = vectors, .texts = texts, .document = "viking://a/doc"});
//   Hits hits = engine.search(query, {.scope = "viking://a", .k = 5});
//   GrepHits matches = engine.grep("late fees?", {.scope = "viking://a"});
//   TextSpan section = engine.read(hits.uri(0));
//
// A scope is a URI and means the whole subtree under it, by path component. Filters apply before
// anything is ranked; a URI without an allowed row does not exist for the call, which then fails as
// for any missing one (the root is there always). Answers are deterministic: equal scores are
// ordered by their URIs as strings.
//
// Threads: all methods may be called from any thread at any time. A reading call takes the State
// that is published at its start and works on it without locks: it sees a change whole or not at
// all, and waits for no other call. Writing calls follow one another, work on a draft, and publish
// it at their end; one that throws has changed nothing.
//
// Errors are thrown as Error: kInvalidArgument for values that are refused, kNotFound for a URI
// that nothing has, kAlreadyExists for one that is taken.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "engine/results.h"
#include "filter/filter.h"
#include "grep/grep.h"
#include "vectors/graph/graph_keeper.h"
#include "vectors/search.h"

namespace knarr {

class Snapshot;

struct Objects {
  std::span<const std::string_view> uris;      // n, all different; parents are made
  std::span<const float> vectors;              // (n, dim), any length but zero
  std::span<const std::string_view> texts;     // n, or none at all; UTF-8
  std::span<const Kind> kinds;                 // n, or none: all are chunks
  std::span<const std::string_view> previews;  // n, or none: the beginnings of the texts
  std::optional<std::string_view> document;    // a URI above all of them
  bool replace = false;                        // remove all objects now under `document`
};

struct SearchOptions {
  std::string_view scope = kScheme;
  std::int64_t k = 10;
  std::int64_t offset = 0;  // results to skip
  Filter filter;
  bool expand = false;  // also follow edges of the hits
  float gamma = 0.8f;   // least similarity of an edge's question
  // (dim,), compared with the edges' questions in place of the query; empty: the query. The query
  // is often a part of the question, or another wording of it.
  std::span<const float> question = {};
  SearchHow how = {};  // the plan and its recall target
  // Edges of other audiences are not followed; null: of all. Everybody's always are.
  const RowSet* audiences = nullptr;
};

struct ExpandOptions {
  std::string_view scope = kScheme;
  Filter filter;
  float gamma = 0.8f;
  std::size_t limit = 100;
  const RowSet* audiences = nullptr;  // as in SearchOptions
};

// Rows, and the generation that they belong to.
struct NumberedRows {
  RowSet rows;
  std::uint64_t generation;
};

// An edge as listings show it.
struct KnownEdge {
  std::string source;  // URIs
  std::string target;
  std::string question;
  std::string trace;
  std::string summary;
  std::int64_t expires_at_s;
  Audience audience;
};

struct NewEdges {
  std::span<const std::string_view> sources;  // m URIs
  std::span<const std::string_view> targets;  // m URIs: edge i leads from source i to target i
  std::string_view question;
  std::span<const float> vector;  // (dim,), of the question
  std::string_view trace;
  std::string_view summary;
  std::int64_t expires_at_s = kNeverExpires;  // Unix time
  Audience audience = kEverybody;             // who may follow them
};

class Engine {
 public:
  // dim is 1 to 65536. Vectors are stored in `precision`, and exact search is exact over the
  // stored vectors: a score is the cosine of the query and the stored vector.
  explicit Engine(std::size_t dim, Precision precision = Precision::kFloat32);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  std::size_t dim() const { return dim_; }
  Precision precision() const { return state()->vectors.format().precision(); }
  std::uint64_t size() const { return state()->live().size(); }  // live objects
  // Grows by one each time compact() renumbers rows. The first value is random, so that filters of
  // one engine are refused by another.
  std::uint64_t generation() const { return state()->generation; }

  // --- Writing -----------------------------------------------------------------------------------

  // Adds objects and returns their rows: object i has row begin + i.
  //
  // Text. With a document, the texts of its chunks, joined in the order given, are its canonical
  // text: one text for grep and read, in which matches cross borders. Without one, each run of
  // chunks with the same parent directory is such a text. Each abstract's text stands alone.
  //
  // With `replace`, objects now under the document go in the same publish. The directory keeps its
  // place in its parent, URIs that are added again keep their node (and so their edges), and
  // children take the new order.
  RowRange add(const Objects& objects);

  // Removes an object or a whole subtree from every index, and the directories that become empty.
  // Returns the number of objects removed.
  std::uint64_t remove(std::string_view uri);

  // Gives an object or a subtree the URI `target`, which must be free. Touches no row. Returns how
  // many objects moved. Edges follow.
  std::uint64_t move(std::string_view source, std::string_view target);

  // Adds edges; known ones are not added twice. Returns how many are new.
  std::uint64_t add_edges(const NewEdges& edges);
  std::uint64_t remove_edges_of_trace(std::string_view trace);
  std::uint64_t remove_edges_of_node(std::string_view uri);  // from or to it

  // Returns the memory of removed rows, when they are at least this share of all rows (0 to 1). The
  // remaining rows are copied to new memory, renumbered and published, and `generation` grows by
  // one; readers go on with the state that they hold. Returns the new number of each row (kNoRow
  // for a removed one), or nothing when nothing was done. Filters must then be made again from the
  // new numbers; one that names its generation is refused. Nothing else that a reader can see
  // changes.
  //
  // The engine never compacts by itself, since callers hold row numbers. When it is called with a
  // share of 0.5 from time to time, an engine holds at most about twice the memory that its live
  // objects need, at an amortised cost of one more copy for each removed row.
  std::optional<std::vector<Row>> compact(double least_share);

  // --- Reading -----------------------------------------------------------------------------------

  // The k nearest objects of the scope that the filter allows: always min(k, allowed - offset).
  // Up to kExactRows allowed rows they are exact; vectors/search.h says what holds beyond.
  Hits search(std::span<const float> query, const SearchOptions& options) const;
  // The same for (n, dim) queries: one result each, without edges.
  std::vector<Hits> search_batch(std::span<const float> queries,
                                 const SearchOptions& options) const;

  // Targets of the seeds' edges whose question is like the query, best first. The filter allows
  // seeds, too.
  Expansion expand(std::span<const std::string_view> seeds, std::span<const float> query,
                   const ExpandOptions& options) const;
  // Up to `limit` edges from the offset-th on, in an order of the engine's own.
  std::vector<KnownEdge> edges(std::int64_t offset, std::int64_t limit) const;

  // A page of a directory's children, in order of creation: those with an allowed row, counted with
  // their allowed rows. Where the filter allows some rows of the directory but not all, it costs a
  // look at each child.
  ListPage list(std::string_view uri, std::int64_t offset, std::int64_t limit,
                const Filter& filter = {}) const;

  // Matches of a pattern (RE2 syntax) in the texts of the scope's rows that the filter allows.
  GrepHits grep(std::string_view pattern, std::string_view scope, const Filter& filter,
                const GrepOptions& options) const;

  // An object's text, or the allowed chunks' texts of a whole subtree, joined in row order. The
  // piece begins at `begin_byte` and holds at most `max_bytes`; both are moved back to the nearest
  // beginning of a character, but a piece is never empty before the end.
  TextSpan read(std::string_view uri, std::int64_t begin_byte,
                std::optional<std::int64_t> max_bytes, const Filter& filter = {}) const;

  bool exists(std::string_view uri, const Filter& filter = {}) const;
  std::uint64_t count(std::string_view scope, const Filter& filter) const;
  // The live rows of a scope that the filter allows, to make filters of. O(1) without a filter.
  NumberedRows rows(std::string_view scope, const Filter& filter = {}) const;
  Stats stats() const;

  // --- The graph ---------------------------------------------------------------------------------

  // From now on, or no longer, keeps a graph of the rows for the plan "graph", built in the
  // background (vectors/graph/graph_keeper.h); off in a new engine. Throws kUnsupported where this
  // build has none. Engines of int8 and of less than 64 dimensions never get one.
  void keep_graph(bool on);
  bool keeps_graph() const { return graph_.is_on(); }
  // Rows in the present graph, those removed since among them; 0 while there is none.
  std::uint64_t graph_rows() const;
  // Waits until the graph needs no work; false when that takes longer than `most`.
  bool wait_for_graph(std::chrono::milliseconds most) const { return graph_.wait(most); }

  // --- Keeping -----------------------------------------------------------------------------------

  // Writes everything to a file, durably and whole or not at all. Rows that hold nothing any more
  // are left out, as by compact(), so that rows may have other numbers after a load; nothing else
  // changes.
  void save(const std::string& path) const;
  // Maps a saved file. Throws kCorruption, kUnsupported (made by another version), kIo, and
  // kInvalidArgument when its vectors have another precision than the one asked for. The pages of
  // large sections (snapshot/FORMAT.md) are left unread: each is checked when a call first needs
  // it, which then throws kCorruption; calls that do not need it go on. With `check_all` nothing
  // is left for later.
  static std::unique_ptr<Engine> load(const std::string& path,
                                      std::optional<Precision> precision = std::nullopt,
                                      bool check_all = false);

 private:
  struct Stores;  // the append-only stores; they belong to the writer
  struct Parts;
  static Parts read_parts(std::shared_ptr<const Snapshot> snapshot,
                          std::optional<Precision> precision);

  Engine(std::size_t dim, std::unique_ptr<Stores> stores);
  StatePtr state() const;
  // When the replaced version is freed: in this call, or on a thread of its own, which may also
  // return the heap's free memory to the system.
  enum class Free { kNow, kInBackground, kInBackgroundAndTrim };
  static Free when_to_free(std::uint64_t rows);
  void publish(std::shared_ptr<State> draft, Free free = Free::kNow);
  void show_graph(const State& state);  // tells the keeper which rows the graph should have
  // Sets how.graph, which the result keeps alive.
  GraphPtr use_graph(SearchHow& how, std::uint64_t generation) const;

  const std::size_t dim_;
  std::mutex writing_;
  std::unique_ptr<Stores> stores_;
  mutable std::mutex state_mutex_;  // held to copy or swap the pointer only
  StatePtr state_;
  GraphKeeper graph_;  // last: its thread ends before what it reads goes
};

}  // namespace knarr
