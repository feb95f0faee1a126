// What the engine's calls return.
//
// Hits keep the State they were found in: what they tell of a row is true for the moment of the
// call, whatever has been written since. All types here may be read from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "engine/state.h"
#include "grep/grep.h"
#include "vectors/search.h"

namespace knarr {

struct RowRange {
  Row begin;
  Row end;
};

// A target that an edge of a seed leads to, in the State it was found in. What it tells is made
// when it is asked for.
struct Expanded {
  StatePtr state;
  Activation edge;

  std::string uri() const { return state->trie.uri(edge.target); }
  Row row() const;                   // kNoRow when the target is a directory
  std::optional<Kind> kind() const;  // of an object, as are
  std::string preview() const;
  std::string document() const;                                        // empty when it has none
  std::string source() const { return state->trie.uri(edge.source); }  // URI of the seed
  float similarity() const { return edge.similarity; }  // cosine of the query and the question
  std::string_view question() const { return state->edges.episode(edge.episode).question; }
  std::string_view summary() const { return state->edges.episode(edge.episode).summary; }
  std::string_view trace() const { return state->edges.episode(edge.episode).trace; }
};

// Targets that seeds lead to: the most similar question first, then by URI.
struct Expansion {
  StatePtr state;
  std::vector<Activation> edges;

  std::size_t size() const { return edges.size(); }
  Expanded operator[](std::size_t i) const { return {state, edges[i]}; }
};

// Where a row's text stands in the text of its document (or of its directory, see Engine::add).
struct Extent {
  std::uint64_t begin_byte = 0;
  std::uint64_t end_byte = 0;
  std::uint32_t line_begin = 0;  // from 1; 0 when the row has no text
  std::uint32_t line_end = 0;    // the line of its last byte
};

struct Hits {
  StatePtr state;
  std::vector<ScoredRow> rows;  // best first
  std::string plan;             // how the vectors were searched
  std::uint64_t rows_allowed = 0;
  Explanation explanation;  // times only when asked for
  Expansion expanded;       // empty unless asked for

  std::size_t size() const { return rows.size(); }
  std::string uri(std::size_t i) const { return state->uri(rows[i].row); }
  Kind kind(std::size_t i) const { return state->kind(rows[i].row); }
  std::string preview(std::size_t i) const { return state->preview(rows[i].row); }
  std::string document(std::size_t i) const { return state->document(rows[i].row); }
  Extent extent(std::size_t i) const;

  // Of all hits, which often share a parent.
  std::vector<std::string> uris() const;
  std::vector<std::string> documents() const;
};

struct ListEntry {
  std::string uri;
  std::string name;  // decoded
  bool is_directory;
  std::uint64_t rows;        // objects at or below it
  std::optional<Kind> kind;  // of an object
  std::string preview;       // of an object; for a directory, of its abstract
};

struct ListPage {
  std::vector<ListEntry> entries;
  std::uint64_t total;  // children in all
};

struct GrepHit {
  std::string uri;                // of the object where the match begins
  std::vector<std::string> uris;  // of all that it touches
  Row row;                        // of `uri`
  std::uint32_t line;             // from 1, in the document's text
  std::uint32_t column;           // byte in that line, from 1
  std::uint32_t begin_byte;       // in the document's text
  std::uint32_t end_byte;
  std::string excerpt;
  std::string document;  // empty when it has none
};

struct GrepHits {
  std::vector<GrepHit> matches;
  std::uint64_t total = 0;
  GrepOutcome outcome = GrepOutcome::kNoMatches;
  std::string note;  // why the search is incomplete and where it stopped; else empty
  std::optional<std::uint64_t> next_offset;
};

// A piece of the text that a URI names.
struct TextSpan {
  std::string text;
  std::uint64_t begin_byte = 0;  // of the piece, counted in all that the URI names
  std::uint64_t end_byte = 0;
  std::uint64_t total_bytes = 0;             // of all that the URI names
  std::optional<std::uint64_t> next_offset;  // where to go on; none at the end
  // When all of it stands together in one document's text: that document's URI and the place in it
  // where the URI's text begins. Otherwise "" and 0, and lines count in the joined text.
  std::string document;
  std::uint64_t base_byte = 0;
  std::uint32_t line_begin = 1;  // lines of the piece's first and last byte, from 1
  std::uint32_t line_end = 1;
  std::vector<std::string> uris;  // objects that the piece touches
};

struct Stats {
  std::size_t dim;
  std::uint64_t objects;      // live
  std::uint64_t rows;         // made so far; rows - objects are tombstones
  std::uint64_t directories;  // the root included
  std::uint64_t version;      // grows with each change
  std::uint64_t generation;   // grows when compact() gives rows other numbers
  std::uint64_t edges;
  std::uint64_t questions;           // historical questions that edges hold
  std::uint64_t text_bytes;          // of live objects
  std::uint64_t vectors_size_bytes;  // memory
  std::uint64_t short_size_bytes;    // vectors again, in a quarter of the bytes
  std::uint64_t codes_size_bytes;
  std::uint64_t graph_rows;  // in the graph, those removed since among them
  std::uint64_t graph_size_bytes;
  std::uint64_t texts_size_bytes;
  std::uint64_t index_size_bytes;    // of the texts, for grep
  std::uint64_t trie_size_bytes;     // nodes and their names
  std::uint64_t rows_size_bytes;     // which rows lie below each node, and the rows of each kind
  std::uint64_t records_size_bytes;  // what each row is, its preview, where its text stands
  std::uint64_t edges_size_bytes;    // of which
  std::uint64_t edge_questions_size_bytes;  // their texts and vectors
};

}  // namespace knarr
