// Three trees hold the namespace: a node's record by id, its id by (parent, name), and its id by
// (parent, ordinal). Since (parent, ordinal) is sorted, the children of a directory are one run of
// keys, and counting or paging them is a rank.
#include "uri/trie.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"

namespace knarr {

Trie::Trie() { nodes_.insert(kRoot, TrieNode{}); }

NodeId Trie::child(NodeId parent, std::string_view name) const {
  const NodeId* id = names_.find(NameView{parent, name});
  return id != nullptr ? *id : kNoNode;
}

NodeId Trie::find(const Path& path) const {
  NodeId node = kRoot;
  for (const std::string& name : path) {
    node = child(node, name);
    if (node == kNoNode) return kNoNode;
  }
  return node;
}

// What stands in the tree was well-formed when it came, so whatever is found needs no checks.
NodeId Trie::find_plain(std::string_view uri) const {
  if (!uri.starts_with(kScheme) || uri.size() > kMaxUriBytes) return kNoNode;
  if (uri.find('%') != std::string_view::npos) return kNoNode;
  std::string_view rest = uri.substr(kScheme.size());
  if (rest.size() > 1 && rest.ends_with('/')) rest.remove_suffix(1);
  NodeId node = kRoot;
  for (std::size_t slash = 0; !rest.empty(); rest.remove_prefix(slash)) {
    slash = std::min(rest.find('/'), rest.size());
    node = child(node, rest.substr(0, slash));
    if (node == kNoNode) return kNoNode;
    if (slash == rest.size()) break;
    if (++slash == rest.size()) return kNoNode;  // a second slash at the end
  }
  return node;
}

const TrieNode& Trie::node(NodeId node) const { return *nodes_.find(node); }

std::string_view Trie::name(NodeId id) const {
  return id == kRoot ? std::string_view() : std::string_view(node(id).name->text);
}

std::vector<NodeId> Trie::ancestors(NodeId id) const {
  std::vector<NodeId> out;
  for (; id != kNoNode; id = node(id).parent) out.push_back(id);
  return out;
}

Path Trie::path(NodeId id) const {
  Path out;
  for (; id != kRoot; id = node(id).parent) out.emplace_back(name(id));
  std::ranges::reverse(out);
  return out;
}

std::string Trie::uri(NodeId id) const {
  std::array<const TrieNode*, 32> up;  // deeper paths take the long way
  std::size_t depth = 0, bytes = kScheme.size();
  const bool is_directory = !node(id).is_object;
  for (NodeId at = id; at != kRoot; at = up[depth++]->parent) {
    if (depth == up.size()) return format_uri(path(id), is_directory);
    up[depth] = &node(at);
    bytes += up[depth]->name->text.size() + 1;
  }
  std::string out;
  out.reserve(bytes);
  out += kScheme;
  while (depth > 0) {
    append_encoded(out, up[--depth]->name->text);
    if (depth > 0 || is_directory) out += '/';
  }
  return out;
}

std::string Trie::uri_below(std::string_view directory, NodeId child) const {
  const TrieNode& record = node(child);
  std::string out;
  out.reserve(directory.size() + record.name->text.size() + 1);
  out += directory;
  append_encoded(out, record.name->text);
  if (!record.is_object) out += '/';
  return out;
}

bool Trie::is_within(NodeId id, NodeId ancestor) const {
  while (id != kNoNode && id != ancestor) id = node(id).parent;
  return id == ancestor;
}

NodeId Trie::common_ancestor(NodeId a, NodeId b) const {
  const auto up_a = ancestors(a), up_b = ancestors(b);
  const auto ends = std::mismatch(up_a.rbegin(), up_a.rend(), up_b.rbegin(), up_b.rend());
  return *std::prev(ends.first);
}

// The first differing components decide. A `/` follows where the path goes on, and no encoded
// component holds one, so two different components differ within what is built here.
bool Trie::uri_before(NodeId a, NodeId b) const {
  const auto up_a = ancestors(a), up_b = ancestors(b);
  const auto ends = std::mismatch(up_a.rbegin(), up_a.rend(), up_b.rbegin(), up_b.rend());
  const auto component = [this](NodeId id) {
    std::string out;
    append_encoded(out, name(id));
    if (!node(id).is_object) out += '/';
    return out;
  };
  return component(*ends.first) < component(*ends.second);
}

std::size_t Trie::child_count(NodeId id) const {
  return order_.rank(OrderKey{id + 1, 0}) - order_.rank(OrderKey{id, 0});
}

std::vector<NodeId> Trie::children(NodeId id, std::size_t offset, std::size_t limit) const {
  std::vector<NodeId> out;
  const std::size_t first = order_.rank(OrderKey{id, 0});
  if (offset > order_.size() - first) return out;
  for (auto at = order_.at(first + offset); at.valid() && out.size() < limit; at.next()) {
    if (at.key().parent != id) break;
    out.push_back(at.value());
  }
  return out;
}

std::vector<NodeId> Trie::subtree(NodeId id) const {
  std::vector<NodeId> out, stack{id};
  while (!stack.empty()) {
    const NodeId top = stack.back();
    stack.pop_back();
    out.push_back(top);
    const auto below = children(top, 0, std::numeric_limits<std::size_t>::max());
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  return out;
}

void Trie::refuse_below_object(NodeId object) const {
  fail(ErrorCode::kInvalidArgument, uri(object) + " is an object; nothing can lie below it");
}

void Trie::attach(NodeId id, NodeId parent, Name name) {
  const std::uint64_t ordinal = nodes_.edit(parent)->next_ordinal++;
  names_.insert(NameKey{parent, name}, id);
  order_.insert(OrderKey{parent, ordinal}, id);
  TrieNode& record = *nodes_.edit(id);
  record.parent = parent;
  record.ordinal = ordinal;
  record.name = std::move(name);
}

void Trie::detach(NodeId id) {
  const TrieNode& record = node(id);
  names_.erase(NameView{record.parent, record.name->text});
  order_.erase(OrderKey{record.parent, record.ordinal});
}

NodeId Trie::create(NodeId parent, std::string_view name, bool is_object) {
  if (next_id_ == kNoNode) {
    fail(ErrorCode::kUnsupported, "all 4294967295 node ids are used; save and load to start anew");
  }
  TrieNode record;
  record.is_object = is_object;
  const NodeId id = next_id_++;
  nodes_.insert(id, std::move(record));
  attach(id, parent, Name(new NameText(name)));
  return id;
}

NodeId Trie::open_directory(NodeId parent, std::string_view name) {
  const NodeId id = child(parent, name);
  if (id == kNoNode) return create(parent, name, false);
  if (node(id).is_object) refuse_below_object(id);
  return id;
}

void Trie::erase(NodeId id) {
  detach(id);
  nodes_.erase(id);
}

void Trie::prune(NodeId directory, std::vector<NodeId>& gone) {
  while (directory != kRoot && node(directory).rows.empty()) {
    const NodeId parent = node(directory).parent;
    erase(directory);
    gone.push_back(directory);
    directory = parent;
  }
}

void Trie::add_rows(NodeId from, NodeId below, const RowSet& rows) {
  for (NodeId id = from; id != below; id = node(id).parent) nodes_.edit(id)->rows.add(rows);
}

void Trie::remove_rows(NodeId from, NodeId below, const RowSet& rows) {
  for (NodeId id = from; id != below; id = node(id).parent) nodes_.edit(id)->rows.remove(rows);
}

std::vector<NodeId> Trie::remove(NodeId id) {
  std::vector<NodeId> gone = subtree(id);
  const NodeId parent = node(id).parent;
  const RowSet rows = node(id).rows;
  remove_rows(parent, kNoNode, rows);
  for (const NodeId each : gone) erase(each);
  prune(parent, gone);
  return gone;
}

std::vector<NodeId> Trie::move(NodeId id, const Path& target) {
  if (id == kRoot) fail(ErrorCode::kInvalidArgument, "the root cannot be moved");
  if (const NodeId there = find(target); there != kNoNode) {
    fail(ErrorCode::kAlreadyExists, uri(there) + " exists already");
  }
  const NodeId old_parent = node(id).parent;
  const RowSet rows = node(id).rows;
  NodeId parent = kRoot;
  for (std::size_t i = 0; i + 1 < target.size(); ++i) {
    parent = open_directory(parent, target[i]);
    if (parent == id) {
      fail(ErrorCode::kInvalidArgument, uri(id) + " cannot be moved into itself");
    }
  }
  detach(id);
  attach(id, parent, Name(new NameText(target.back())));
  const NodeId shared = common_ancestor(old_parent, parent);
  remove_rows(old_parent, shared, rows);
  add_rows(parent, shared, rows);
  std::vector<NodeId> gone;
  prune(old_parent, gone);
  return gone;
}

void Trie::restore(NodeId id, NodeId parent, std::string_view name, bool is_object, Row row) {
  TrieNode record;
  record.is_object = is_object;
  if (is_object) record.rows = RowSet::range(row, row + 1);
  const bool fresh = nodes_.insert(id, std::move(record));
  if (!fresh || child(parent, name) != kNoNode) {
    fail(ErrorCode::kCorruption, "node " + std::to_string(id) + " or its name stands twice");
  }
  attach(id, parent, Name(new NameText(name)));
}

void Trie::gather_rows(const std::vector<NodeId>& parents_first) {
  for (auto id = parents_first.rbegin(); id != parents_first.rend(); ++id) {
    const RowSet rows = node(*id).rows;
    nodes_.edit(node(*id).parent)->rows.add(rows);
  }
}

std::size_t Trie::size_bytes() const {
  std::size_t sum = nodes_.size_bytes() + names_.size_bytes() + order_.size_bytes();
  for (auto at = nodes_.begin(); at.valid(); at.next()) {
    const TrieNode& record = at.value();
    sum += record.rows.size_bytes() - sizeof(RowSet);
    if (record.name) sum += sizeof(NameText) + record.name->text.capacity();
  }
  return sum;
}

}  // namespace knarr
