#include "uri/append.h"

#include "base/error.h"

namespace knarr {

TrieAppender::TrieAppender(Trie& trie, Row first_row) : trie_(trie), next_(first_row) {
  open_.push_back({Trie::kRoot, first_row});
}

void TrieAppender::replace(NodeId directory) {
  replaced_ = directory;
  const RowSet rows = trie_.node(directory).rows;
  trie_.remove_rows(directory, kNoNode, rows);
  for (const NodeId id : trie_.subtree(directory)) {
    if (id == directory) continue;
    trie_.nodes_.edit(id)->rows = RowSet();
    stale_.insert(id);
  }
}

void TrieAppender::close_below(std::size_t depth) {
  while (open_.size() > depth + 1) {
    trie_.nodes_.edit(open_.back().node)->rows.add_range(open_.back().begin, next_);
    open_.pop_back();
    open_path_.pop_back();
  }
}

void TrieAppender::reorder(NodeId id) {
  TrieNode& record = *trie_.nodes_.edit(id);
  trie_.order_.erase(Trie::OrderKey{record.parent, record.ordinal});
  record.ordinal = trie_.nodes_.edit(record.parent)->next_ordinal++;
  trie_.order_.insert(Trie::OrderKey{record.parent, record.ordinal}, {id, record.is_object});
}

bool TrieAppender::take_over(NodeId id, bool is_object) {
  if (stale_.erase(id) == 0) return false;
  if (trie_.node(id).is_object == is_object) {
    reorder(id);
    return true;
  }
  trie_.erase(id);  // all nodes below it are stale too
  erased_.push_back(id);
  return false;
}

NodeId TrieAppender::directory(NodeId parent, std::string_view name) {
  const NodeId id = trie_.child(parent, name);
  if (id != kNoNode && take_over(id, false)) return id;
  return trie_.open_directory(parent, name);
}

NodeId TrieAppender::object(NodeId parent, std::string_view name) {
  const RowSet row = RowSet::range(next_, next_ + 1);
  NodeId id = trie_.child(parent, name);
  if (id != kNoNode && take_over(id, true)) {
    trie_.nodes_.edit(id)->rows = row;
    return id;
  }
  if (id != kNoNode)
    id = trie_.child(parent, name);  // a stale directory of that name was erased just now
  if (id == kNoNode) return trie_.create(parent, name, true, row);
  if (trie_.node(id).is_object) {
    fail(ErrorCode::kAlreadyExists, trie_.uri(id) + " exists already");
  }
  fail(ErrorCode::kInvalidArgument,
       trie_.uri(id) + " is a directory; an object needs another name");
}

NodeId TrieAppender::add(const Path& path) {
  if (path.empty()) fail(ErrorCode::kInvalidArgument, "the root is a directory, not an object");
  const std::size_t directories = path.size() - 1;
  std::size_t depth = 0;
  while (depth < open_path_.size() && depth < directories && open_path_[depth] == path[depth]) {
    ++depth;
  }
  close_below(depth);
  for (; depth < directories; ++depth) {
    open_.push_back({directory(open_.back().node, path[depth]), next_});
    open_path_.push_back(path[depth]);
  }
  const NodeId id = object(open_.back().node, path.back());
  ++next_;
  return id;
}

std::vector<NodeId> TrieAppender::finish() {
  close_below(0);
  trie_.nodes_.edit(Trie::kRoot)->rows.add_range(open_.front().begin, next_);
  open_.front().begin = next_;
  for (const NodeId id : stale_) {
    trie_.erase(id);
    erased_.push_back(id);
  }
  stale_.clear();
  if (replaced_ != kNoNode) trie_.prune(replaced_, erased_);
  return std::move(erased_);
}

}  // namespace knarr
