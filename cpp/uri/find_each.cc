// Many nodes at once. One lookup waits for memory several times in a row, a dozen do so side by
// side: each step is done for all before the next, which finds what it needs on its way.
#include <span>

#include "uri/plain.h"
#include "uri/trie.h"

namespace knarr {
namespace {

struct Walk {
  std::size_t index;      // of the URI
  std::string_view path;  // what is left of it
  std::string_view name;  // the component that is looked for
  NodeId node;            // where it has come
};

}  // namespace

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
      // Another name of this hash may stand before the one that is looked for.
      walks[i].node = is_it || ids[i] == kNoNode ? ids[i] : child(walks[i].node, walks[i].name);
    }
  }
}

}  // namespace knarr
