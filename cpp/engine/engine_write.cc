// The writing calls. Each takes the writers' lock, copies the State (O(1)), edits the copy, appends
// to the stores behind the end of all published views, and publishes. A call that throws drops its
// draft and rolls back what it appended.
#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/engine_impl.h"
#include "uri/append.h"
#include "vectors/rows/unit_vectors.h"

namespace knarr {
namespace {

void check_count(const char* what, std::size_t got, std::size_t expected) {
  if (got != expected) {
    fail(ErrorCode::kInvalidArgument, std::string(what) + ": expected " + std::to_string(expected) +
                                          ", one for each URI, got " + std::to_string(got));
  }
}

void check_shapes(const Objects& objects, std::size_t dim) {
  const std::size_t n = objects.uris.size();
  if (objects.vectors.size() != n * dim) {
    fail(ErrorCode::kInvalidArgument, "vectors: expected " + std::to_string(n) + " of dimension " +
                                          std::to_string(dim) + ", got " +
                                          std::to_string(objects.vectors.size()) + " numbers");
  }
  if (!objects.texts.empty()) check_count("texts", objects.texts.size(), n);
  if (!objects.kinds.empty()) check_count("kinds", objects.kinds.size(), n);
  if (!objects.previews.empty()) check_count("previews", objects.previews.size(), n);
  if (objects.replace && !objects.document) {
    fail(ErrorCode::kInvalidArgument,
         "replace needs a document: the URI whose objects it replaces");
  }
  for (const std::string_view preview : objects.previews) {
    if (!is_utf8(preview)) fail(ErrorCode::kInvalidArgument, "a preview is not valid UTF-8");
  }
}

Kind kind_of(const Objects& objects, std::size_t i) {
  return objects.kinds.empty() ? Kind::kChunk : objects.kinds[i];
}

bool lies_under(const Path& path, const Path& directory) {
  return path.size() > directory.size() &&
         std::equal(directory.begin(), directory.end(), path.begin());
}

// Adds the objects' nodes to the trie. Returns them, and in `erased` the nodes that were erased.
std::vector<NodeId> place_nodes(Trie& trie, const Objects& objects, Row begin,
                                std::vector<NodeId>& erased) {
  TrieAppender appender(trie, begin);
  Path directory;
  if (objects.document) {
    directory = parse_uri(*objects.document);
    const NodeId id = trie.find(directory);
    if (id != kNoNode && trie.node(id).is_object) {
      fail(ErrorCode::kInvalidArgument, trie.uri(id) + " is an object, not a document's directory");
    }
    if (id != kNoNode && objects.replace) appender.replace(id);
  }
  std::vector<NodeId> nodes;
  nodes.reserve(objects.uris.size());
  for (const std::string_view uri : objects.uris) {
    const Path path = parse_uri(uri);
    if (objects.document && !lies_under(path, directory)) {
      fail(ErrorCode::kInvalidArgument,
           "URI " + quoted(uri) + " does not lie under the document " + quoted(*objects.document));
    }
    nodes.push_back(appender.add(path));
  }
  erased = appender.finish();
  return nodes;
}

// One text that several objects share, as it grows.
struct OpenBlock {
  std::string text;
  std::vector<Slice> slices;

  void append(Row row, std::string_view piece) {
    const std::size_t begin = text.size();
    if (begin + piece.size() >= UINT32_MAX) {
      fail(ErrorCode::kInvalidArgument, "the texts of one document are over 4 GiB");
    }
    text += piece;
    slices.push_back(
        {row, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(text.size())});
  }
  void close(TextStore& store) {
    if (!slices.empty()) store.append(std::move(text), slices);
    *this = {};
  }
};

void append_texts(TextStore& store, const Objects& objects, const Trie& trie,
                  const std::vector<NodeId>& nodes, Row begin) {
  if (objects.texts.empty()) return;
  OpenBlock open, alone;
  NodeId parent = kNoNode;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Row row = begin + static_cast<Row>(i);
    if (!is_utf8(objects.texts[i])) {
      fail(ErrorCode::kInvalidArgument,
           "the text of " + trie.uri(nodes[i]) + " is not valid UTF-8");
    }
    if (kind_of(objects, i) == Kind::kAbstract) {
      alone.append(row, objects.texts[i]);
      alone.close(store);
      continue;
    }
    if (!objects.document && trie.node(nodes[i]).parent != parent) {
      open.close(store);
      parent = trie.node(nodes[i]).parent;
    }
    open.append(row, objects.texts[i]);
  }
  open.close(store);
}

// The store names a bad vector by its index; a caller knows it by its URI.
void append_vectors(VectorStore& store, const Objects& objects, const Trie& trie,
                    const std::vector<NodeId>& nodes) {
  try {
    store.append(objects.vectors, nodes.size());
  } catch (const Error&) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      checked_length(objects.vectors.subspan(i * store.dim(), store.dim()),
                     "the vector of " + trie.uri(nodes[i]) + ", vector", i);
    }
    throw;
  }
}

void append_records(Records& records, const Objects& objects, const Trie& trie,
                    const std::vector<NodeId>& nodes, std::size_t begin) {
  while (records.size() < begin) records.push_back({});  // rows of an add that ran out of memory
  records.truncate(begin);
  const NodeId document = objects.document ? trie.find(parse_uri(*objects.document)) : kNoNode;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    RowRecord record{nodes[i], document, kind_of(objects, i), {}};
    if (!objects.previews.empty() && !objects.previews[i].empty()) {
      record.preview = SharedText::make(objects.previews[i]);
    }
    records.push_back(std::move(record));
  }
}

void add_kinds(KindRows& by_kind, const Objects& objects, Row begin) {
  const std::size_t n = objects.uris.size();
  for (std::size_t i = 0, end; i < n; i = end) {
    const Kind kind = kind_of(objects, i);
    for (end = i + 1; end < n && kind_of(objects, end) == kind;) ++end;
    by_kind[static_cast<std::size_t>(kind)].add_range(begin + static_cast<Row>(i),
                                                      begin + static_cast<Row>(end));
  }
}

bool has_live_row(const Block& block, const RowSet& live) {
  for (std::uint32_t i = 0; i < block.slice_count(); ++i) {
    if (live.contains(block.slice(i).row)) return true;
  }
  return false;
}

// The texts that lose their last live row with the rows in `erased`. Most texts lie within one
// range of `erased`; such a text is skipped in one step when its rows are contiguous.
std::vector<BlockId> dead_texts(const State& before, const RowSet& live, const RowSet& erased) {
  std::unordered_set<BlockId> seen;
  std::vector<BlockId> dead;
  erased.for_each_range([&](Row begin, Row end) {
    BlockId last = kNoBlock;
    for (Row row = begin; row < end; ++row) {
      const TextPlace place = before.texts.place(row);
      if (place.block == kNoBlock || place.block == last) continue;
      last = place.block;
      const Block& block = *before.texts.block(last);
      const Row first_row = block.slice(0).row;
      const Row last_row = block.slice(block.slice_count() - 1).row;
      const bool is_within = begin <= first_row && last_row < end;
      if (is_within && last_row - first_row + 1 == block.slice_count()) {
        dead.push_back(last);
        row = last_row;
      } else if (seen.insert(last).second && (is_within || !has_live_row(block, live))) {
        dead.push_back(last);
      }
    }
  });
  return dead;
}

}  // namespace

RowRange Engine::add(const Objects& objects) {
  check_shapes(objects, dim_);
  const std::lock_guard lock(writing_);
  const StatePtr before = state();
  auto draft = std::make_shared<State>(*before);
  const Row begin = stores_->vectors.size();
  if (objects.uris.size() > kNoRow - begin) {
    fail(ErrorCode::kUnsupported,
         "an engine holds at most 4294967295 rows; save and load to drop old ones");
  }
  std::vector<NodeId> erased;
  const std::vector<NodeId> nodes = place_nodes(draft->trie, objects, begin, erased);
  const Row end = begin + static_cast<Row>(nodes.size());
  add_kinds(draft->by_kind, objects, begin);
  const RowSet removed_rows = before->live() - draft->live();
  for (RowSet& rows : draft->by_kind) rows.remove(removed_rows);
  if (!erased.empty()) draft->edges.remove_nodes(erased);
  const std::vector<BlockId> dead = dead_texts(*before, draft->live(), removed_rows);

  const TextStore::Mark mark = stores_->texts.mark();
  try {
    append_texts(stores_->texts, objects, draft->trie, nodes, begin);
    append_vectors(stores_->vectors, objects, draft->trie, nodes);
    const Row mapped = draft->mapped_rows ? draft->mapped_rows->size() : 0;
    append_records(stores_->records, objects, draft->trie, nodes, begin - mapped);
  } catch (...) {
    stores_->texts.rollback(mark);
    throw;
  }
  for (const BlockId id : dead) stores_->texts.release(id);
  stores_->show(*draft);
  publish(std::move(draft), when_to_free(removed_rows.size()));
  return {begin, end};
}

std::uint64_t Engine::remove(std::string_view uri) {
  const std::lock_guard lock(writing_);
  const StatePtr before = state();
  auto draft = std::make_shared<State>(*before);
  const NodeId node = draft->resolve(uri);
  const RowSet rows = draft->trie.node(node).rows;
  std::vector<NodeId> roots{node};
  if (node == Trie::kRoot) roots = draft->trie.children(node, 0, draft->trie.size());
  for (const NodeId root : roots) draft->edges.remove_nodes(draft->trie.remove(root));
  for (RowSet& kind : draft->by_kind) kind.remove(rows);
  for (const BlockId id : dead_texts(*before, draft->live(), rows)) stores_->texts.release(id);
  stores_->show(*draft);
  publish(std::move(draft), when_to_free(rows.size()));
  return rows.size();
}

std::uint64_t Engine::move(std::string_view source, std::string_view target) {
  const std::lock_guard lock(writing_);
  auto draft = std::make_shared<State>(*state());
  const Path path = parse_uri(target);
  const NodeId node = draft->resolve(source);
  const std::uint64_t moved = draft->trie.node(node).rows.size();
  const std::vector<NodeId> erased = draft->trie.move(node, path);
  if (!erased.empty()) draft->edges.remove_nodes(erased);
  publish(std::move(draft));
  return moved;
}

std::uint64_t Engine::add_edges(const NewEdges& edges) {
  check_count("targets", edges.targets.size(), edges.sources.size());
  const std::lock_guard lock(writing_);
  auto draft = std::make_shared<State>(*state());
  std::vector<EdgeEnds> ends;
  ends.reserve(edges.sources.size());
  const std::vector<NodeId> sources = draft->resolve_each(edges.sources);
  const std::vector<NodeId> targets = draft->resolve_each(edges.targets);
  for (std::size_t i = 0; i < sources.size(); ++i) ends.push_back({sources[i], targets[i]});
  for (const std::string_view text : {edges.question, edges.trace, edges.summary}) {
    if (!is_utf8(text)) fail(ErrorCode::kInvalidArgument, "an edge's text is not valid UTF-8");
  }
  const std::uint64_t added = draft->edges.add({edges.question, edges.vector, edges.trace,
                                                edges.summary, edges.expires_at_s, edges.audience},
                                               ends);
  if (added > 0) publish(std::move(draft));
  return added;
}

std::uint64_t Engine::remove_edges_of_trace(std::string_view trace) {
  const std::lock_guard lock(writing_);
  auto draft = std::make_shared<State>(*state());
  const std::uint64_t removed = draft->edges.remove_trace(trace);
  if (removed > 0) publish(std::move(draft));
  return removed;
}

std::uint64_t Engine::remove_edges_of_node(std::string_view uri) {
  const std::lock_guard lock(writing_);
  auto draft = std::make_shared<State>(*state());
  const std::uint64_t removed = draft->edges.remove_node(draft->resolve(uri));
  if (removed > 0) publish(std::move(draft));
  return removed;
}

}  // namespace knarr
