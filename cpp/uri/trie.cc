// Three copy-on-write trees hold the namespace: a node's record by id, its id by (parent, hash of
// the name), and its id by (parent, ordinal). The last keeps the children of a directory as one run
// of keys, so counting and paging them are rank queries. A subtree that was added in one call has
// consecutive ids, and so is one run of keys in each of the three.
#include "uri/trie.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>

#include "base/error.h"

namespace knarr {
namespace {

// One of several lookups that go down the trie together.
struct Walk {
  std::size_t index;      // of the URI
  std::string_view path;  // the rest of it
  std::string_view name;  // the component to find next
  NodeId node;            // the node reached so far
};

}  // namespace

// The seed is random in each process, so that nobody can choose names with equal hashes.
std::uint32_t Trie::hash_of(std::string_view name) {
  static const std::uint64_t seed =
      std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
  std::uint64_t hash = seed ^ name.size();
  const auto mix = [&hash](std::uint64_t word) {
    const auto product = static_cast<unsigned __int128>(hash ^ word) * 0x9E3779B97F4A7C15u;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ seed;
  };
  for (; name.size() >= 8; name.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, name.data(), 8);
    mix(word);
  }
  std::uint64_t rest = 0;
  if (!name.empty()) std::memcpy(&rest, name.data(), name.size());
  mix(rest);
  mix(seed >> 7);
  return static_cast<std::uint32_t>(hash >> 32);
}

Trie::Trie() { nodes_.insert(kRoot, TrieNode{}); }

NodeId Trie::child(NodeId parent, std::string_view name) const {
  const std::uint32_t hash = hash_of(name);
  for (auto at = names_.lower_bound(NameKey{parent, hash, 0});
       at.valid() && at.key().parent == parent && at.key().hash == hash; at.next()) {
    if (node(at.key().id).name.text() == name) return at.key().id;
  }
  return kNoNode;
}

NodeId Trie::find(const Path& path) const {
  NodeId node = kRoot;
  for (const std::string& name : path) {
    node = child(node, name);
    if (node == kNoNode) return kNoNode;
  }
  return node;
}

// Names in the trie were checked when they were added, so a URI that is found needs no checks.
NodeId Trie::find_plain(std::string_view uri) const {
  auto path = plain_path(uri);
  if (!path) return kNoNode;
  NodeId node = kRoot;
  while (node != kNoNode && !path->empty()) node = child(node, take_component(*path));
  return node;
}

// A lookup waits for memory several times in a row; many lookups can wait at the same time. So each
// step is done for all URIs before the next step, which then finds what it needs on its way.
std::vector<const TrieNode*> Trie::get_each(std::span<const NodeId> nodes) const {
  std::vector<const TrieNode*> records(nodes.size());
  nodes_.find_each(nodes, std::span(records));
  return records;
}

std::vector<NodeId> Trie::find_plain_each(std::span<const std::string_view> uris) const {
  std::vector<NodeId> found(uris.size(), kNoNode);
  std::vector<Walk> walks;
  walks.reserve(uris.size());
  for (std::size_t i = 0; i < uris.size(); ++i) {
    if (const auto path = plain_path(uris[i])) walks.push_back({i, *path, {}, kRoot});
  }
  std::vector<NameKey> keys(walks.size());
  std::vector<CowTree<NameKey, Nothing>::Cursor> places(walks.size());
  std::vector<NodeId> ids(walks.size());
  std::vector<const TrieNode*> records(walks.size());
  const auto finish = [&](const Walk& walk) {
    if (walk.node != kNoNode && !walk.path.empty()) return false;
    found[walk.index] = walk.node;
    return true;
  };
  while (true) {
    std::erase_if(walks, finish);
    const std::size_t n = walks.size();
    if (n == 0) return found;
    for (std::size_t i = 0; i < n; ++i) {
      walks[i].name = take_component(walks[i].path);
      keys[i] = {walks[i].node, hash_of(walks[i].name), 0};
    }
    names_.lower_bounds(std::span<const NameKey>(keys).first(n), std::span(places).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      const auto& at = places[i];
      const bool is_alike =
          at.valid() && at.key().parent == keys[i].parent && at.key().hash == keys[i].hash;
      ids[i] = is_alike ? at.key().id : kNoNode;
    }
    nodes_.find_each(std::span<const NodeId>(ids).first(n), std::span(records).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      if (records[i] != nullptr) __builtin_prefetch(records[i]->name.text().data());
    }
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_it = records[i] != nullptr && records[i]->name.text() == walks[i].name;
      // Another name with this hash may precede the wanted one; then search by name.
      walks[i].node = is_it || ids[i] == kNoNode ? ids[i] : child(walks[i].node, walks[i].name);
    }
  }
}

const TrieNode& Trie::node(NodeId node) const { return *nodes_.find(node); }

std::string_view Trie::name(NodeId id) const { return node(id).name.text(); }

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
    bytes += up[depth]->name.text().size() + 1;
  }
  std::string out;
  out.reserve(bytes);
  out += kScheme;
  while (depth > 0) {
    append_encoded(out, up[--depth]->name.text());
    if (depth > 0 || is_directory) out += '/';
  }
  return out;
}

std::string Trie::uri_below(std::string_view directory, NodeId child) const {
  const TrieNode& record = node(child);
  std::string out;
  out.reserve(directory.size() + record.name.text().size() + 1);
  out += directory;
  append_encoded(out, record.name.text());
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

// The first differing components decide.
bool Trie::uri_before(NodeId a, NodeId b) const {
  const auto up_a = ancestors(a), up_b = ancestors(b);
  const auto ends = std::mismatch(up_a.rbegin(), up_a.rend(), up_b.rbegin(), up_b.rend());
  const auto component = [this](NodeId id) { return Component{name(id), !node(id).is_object}; };
  return encoded_before(component(*ends.first), component(*ends.second));
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
    out.push_back(at.value().id);
  }
  return out;
}

std::vector<NodeId> Trie::subtree(NodeId id) const {
  struct Open {
    NodeId directory;
    CowTree<OrderKey, Child>::Cursor next;
  };
  std::vector<NodeId> out{id};
  out.reserve(node(id).rows.size() + 1);
  std::vector<Open> open;
  open.push_back({id, order_.lower_bound(OrderKey{id, 0})});
  while (!open.empty()) {
    auto& at = open.back().next;
    if (!at.valid() || at.key().parent != open.back().directory) {
      open.pop_back();
      continue;
    }
    const Child child = at.value();
    at.next();
    out.push_back(child.id);
    if (!child.is_object) open.push_back({child.id, order_.lower_bound(OrderKey{child.id, 0})});
  }
  return out;
}

void Trie::refuse_below_object(NodeId object) const {
  fail(ErrorCode::kInvalidArgument, uri(object) + " is an object; nothing can lie below it");
}

void Trie::insert(NodeId id, NodeId parent, TrieNode record) {
  record.parent = parent;
  record.ordinal = nodes_.edit(parent)->next_ordinal++;
  names_.insert(NameKey{parent, hash_of(record.name.text()), id}, {});
  order_.insert(OrderKey{parent, record.ordinal}, {id, record.is_object});
  nodes_.insert(id, std::move(record));
}

void Trie::attach(NodeId id, NodeId parent, Name name) {
  TrieNode record = node(id);
  record.name = std::move(name);
  insert(id, parent, std::move(record));
}

void Trie::detach(NodeId id) {
  const TrieNode& record = node(id);
  names_.erase(NameKey{record.parent, hash_of(record.name.text()), id});
  order_.erase(OrderKey{record.parent, record.ordinal});
}

NodeId Trie::create(NodeId parent, std::string_view name, bool is_object, RowSet rows) {
  if (next_id_ == kNoNode) {
    fail(ErrorCode::kUnsupported, "all 4294967295 node ids are used; save and load to start anew");
  }
  TrieNode record;
  record.is_object = is_object;
  record.name = Name::copy(name);
  record.rows = std::move(rows);
  const NodeId id = next_id_++;
  insert(id, parent, std::move(record));
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

void Trie::erase_all(std::vector<NodeId> nodes) {
  if (!std::ranges::is_sorted(nodes)) std::ranges::sort(nodes);
  for (std::size_t i = 0, end; i < nodes.size(); i = end) {
    for (end = i + 1; end < nodes.size() && nodes[end] == nodes[end - 1] + 1;) ++end;
    const NodeId first = nodes[i], behind = nodes[end - 1] + 1;
    nodes_.erase_range(first, behind);
    names_.erase_range(NameKey{first, 0, 0}, NameKey{behind, 0, 0});
    order_.erase_range(OrderKey{first, 0}, OrderKey{behind, 0});
  }
}

void Trie::prune(NodeId directory, std::vector<NodeId>& erased) {
  while (directory != kRoot && node(directory).rows.empty()) {
    const NodeId parent = node(directory).parent;
    erase(directory);
    erased.push_back(directory);
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
  std::vector<NodeId> erased = subtree(id);
  const NodeId parent = node(id).parent;
  const RowSet rows = node(id).rows;
  remove_rows(parent, kNoNode, rows);
  detach(id);
  erase_all(erased);
  prune(parent, erased);
  return erased;
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
  attach(id, parent, Name::copy(target.back()));
  const NodeId shared = common_ancestor(old_parent, parent);
  remove_rows(old_parent, shared, rows);
  add_rows(parent, shared, rows);
  std::vector<NodeId> erased;
  prune(old_parent, erased);
  return erased;
}

std::size_t Trie::size_bytes() const {
  std::size_t sum = nodes_.size_bytes() + names_.size_bytes() + order_.size_bytes();
  for (auto at = nodes_.begin(); at.valid(); at.next()) {
    sum += at.value().name.size_bytes();
  }
  return sum;
}

std::size_t Trie::rows_size_bytes() const {
  std::size_t sum = 0;
  for (auto at = nodes_.begin(); at.valid(); at.next()) {
    sum += at.value().rows.size_bytes() - sizeof(RowSet);
  }
  return sum;
}

}  // namespace knarr
