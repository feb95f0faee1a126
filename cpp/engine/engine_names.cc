// What the names tell: whether something is there, how many rows lie below it, and which children.
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"

namespace knarr {
namespace {

struct Children {
  std::vector<NodeId> shown;
  std::uint64_t total = 0;
};

// The children that hold an allowed row, as if there were no others. They are looked up a batch at
// a time, so that the lookups wait for memory together.
Children seen_children(const Trie& trie, NodeId directory, const RowSet& allowed,
                       std::uint64_t offset, std::uint64_t limit) {
  constexpr std::size_t kBatch = 512;
  Children out;
  std::vector<NodeId> batch;
  for (std::size_t at = 0; batch = trie.children(directory, at, kBatch), !batch.empty();
       at += batch.size()) {
    const std::vector<const TrieNode*> nodes = trie.get_each(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!nodes[i]->rows.intersects(allowed)) continue;
      if (out.total >= offset && out.shown.size() < limit) out.shown.push_back(batch[i]);
      ++out.total;
    }
  }
  return out;
}

Children children_of(const Trie& trie, NodeId directory, const Filter& filter, std::uint64_t offset,
                     std::uint64_t limit) {
  if (filter.rows && !trie.node(directory).rows.is_within(*filter.rows)) {
    return seen_children(trie, directory, *filter.rows, offset, limit);
  }
  return {trie.children(directory, offset, limit), trie.child_count(directory)};
}

ListEntry entry_of(const State& state, std::string_view above, NodeId id, const Filter& filter) {
  const Trie& trie = state.trie;
  const TrieNode& node = trie.node(id);
  ListEntry entry{trie.uri_below(above, id),
                  std::string(trie.name(id)),
                  !node.is_object,
                  filter.rows ? node.rows.shared(*filter.rows) : node.rows.size(),
                  {},
                  {}};
  if (node.is_object) entry.kind = state.kind(node.rows.first());
  const NodeId shown = node.is_object ? id : trie.child(id, ".abstract.md");
  if (shown == kNoNode || !trie.node(shown).is_object) return entry;
  const Row row = trie.node(shown).rows.first();
  if (!filter.rows || filter.rows->contains(row)) entry.preview = state.preview(row);
  return entry;
}

}  // namespace

bool Engine::exists(std::string_view uri, const Filter& filter) const {
  return state()->find(uri, filter) != kNoNode;
}

NumberedRows Engine::rows(std::string_view scope, const Filter& filter) const {
  const StatePtr state = this->state();
  return {state->allowed(scope, filter), state->generation};
}

std::uint64_t Engine::count(std::string_view scope, const Filter& filter) const {
  return rows(scope, filter).rows.size();
}

ListPage Engine::list(std::string_view uri, std::int64_t offset, std::int64_t limit,
                      const Filter& filter) const {
  if (offset < 0 || limit < 0) {
    fail(ErrorCode::kInvalidArgument, "offset and limit must not be negative, got " +
                                          std::to_string(offset) + " and " + std::to_string(limit));
  }
  const StatePtr state = this->state();
  const Trie& trie = state->trie;
  const NodeId directory = state->resolve(uri, filter);
  if (trie.node(directory).is_object) {
    fail(ErrorCode::kInvalidArgument,
         trie.uri(directory) + " is an object, not a directory: read it, or list its parent");
  }
  const std::string above = trie.uri(directory);
  const Children children = children_of(trie, directory, filter, static_cast<std::uint64_t>(offset),
                                        static_cast<std::uint64_t>(limit));
  ListPage page{{}, children.total};
  page.entries.reserve(children.shown.size());
  for (const NodeId id : children.shown)
    page.entries.push_back(entry_of(*state, above, id, filter));
  return page;
}

}  // namespace knarr
