// Each of the three trees is packed from its entries in order. By id they mostly are in order
// already; the children of a directory are put side by side by counting.
#include "uri/restore.h"

#include <algorithm>

#include "base/error.h"

namespace knarr {
namespace {

[[noreturn]] void refuse(const std::string& why) { fail(ErrorCode::kCorruption, why); }

}  // namespace

TrieRestorer::TrieRestorer(std::size_t nodes) {
  entries_.reserve(nodes + 1);
  entries_.push_back({Trie::kRoot, 0, {}});
  open_.push_back(0);
}

// What a directory holds is known when the list has left it.
void TrieRestorer::close() {
  const Entry& directory = entries_[open_.back()];
  if (directory.node.rows.empty()) refuse("a directory without objects");
  open_.pop_back();
  if (open_.empty()) refuse("a parent that is no directory before it");
  entries_[open_.back()].node.rows.add(directory.node.rows);
}

void TrieRestorer::add(NodeId id, NodeId parent, std::string_view name, Row row) {
  while (entries_[open_.back()].id != parent) close();
  Entry& above = entries_[open_.back()];
  Entry entry{id, open_.back(), {}};
  entry.node.parent = parent;
  entry.node.is_object = row != kNoRow;
  entry.node.ordinal = above.node.next_ordinal++;
  entry.node.name = SharedText::make(name);
  if (row != kNoRow) {
    entry.node.rows = RowSet::range(row, row + 1);
    above.node.rows.add_range(row, row + 1);
  } else {
    open_.push_back(entries_.size());
  }
  entries_.push_back(std::move(entry));
}

// By id. Most ids below `next_id` are in use, unless much has come and gone.
std::vector<TrieRestorer::Entry*> TrieRestorer::sorted(NodeId next_id) {
  for (const Entry& entry : entries_) {
    if (entry.id >= next_id) refuse("an id that was never given out");
  }
  const bool is_dense = next_id / 4 <= entries_.size();
  std::vector<Entry*> out(is_dense ? next_id : 0);
  for (Entry& entry : entries_) {
    if (!is_dense) {
      out.push_back(&entry);
    } else if (std::exchange(out[entry.id], &entry) != nullptr) {
      refuse("an id or a name twice");
    }
  }
  if (is_dense) {
    std::erase(out, nullptr);
    return out;
  }
  const auto is_before = [](const Entry* a, const Entry* b) { return a->id < b->id; };
  std::ranges::sort(out, is_before);
  const auto is_same = [](const Entry* a, const Entry* b) { return a->id == b->id; };
  if (std::ranges::adjacent_find(out, is_same) != out.end()) refuse("an id or a name twice");
  return out;
}

// All but the root, by the id of their parent, then in order.
std::vector<const TrieRestorer::Entry*> TrieRestorer::by_parent(
    const std::vector<Entry*>& by_id) const {
  std::vector<std::size_t> begins(entries_.size());
  std::size_t at = 0;
  for (const Entry* entry : by_id) {
    begins[static_cast<std::size_t>(entry - entries_.data())] = at;
    at += entry->node.next_ordinal;
  }
  std::vector<const Entry*> out(entries_.size() - 1);
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    out[begins[entries_[i].parent] + entries_[i].node.ordinal] = &entries_[i];
  }
  return out;
}

// Children of one directory, by hash and id; no two of them have one name.
void TrieRestorer::sort_names(std::vector<Named>& names, std::size_t begin, std::size_t end) {
  const auto first = names.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = names.begin() + static_cast<std::ptrdiff_t>(end);
  const auto text = [](const Named& each) { return each.entry->node.name->text; };
  std::sort(first, last, [&](const Named& a, const Named& b) {
    return a.hash != b.hash ? a.hash < b.hash : text(a) < text(b);
  });
  for (auto run = first; run != last;) {
    auto behind = run + 1;
    for (; behind != last && behind->hash == run->hash; ++behind) {
      if (text(*behind) == text(*std::prev(behind))) refuse("an id or a name twice");
    }
    std::sort(run, behind,
              [](const Named& a, const Named& b) { return a.entry->id < b.entry->id; });
    run = behind;
  }
}

Trie TrieRestorer::finish(NodeId next_id) {
  while (open_.size() > 1) close();
  const std::vector<Entry*> by_id = sorted(next_id);

  const std::vector<const Entry*> children = by_parent(by_id);
  std::vector<Named> names;
  names.reserve(children.size());
  for (std::size_t begin = 0; begin < children.size(); begin = names.size()) {
    const NodeId parent = children[begin]->node.parent;
    for (std::size_t i = begin; i < children.size() && children[i]->node.parent == parent; ++i) {
      names.push_back({Trie::hash_of(children[i]->node.name->text), children[i]});
    }
    sort_names(names, begin, names.size());
  }

  Trie trie;
  trie.names_ = decltype(trie.names_)::of_sorted(names.size(), [&](std::size_t i) {
    const Entry& entry = *names[i].entry;
    return std::pair(Trie::NameKey{entry.node.parent, names[i].hash, entry.id}, Trie::Nothing{});
  });
  trie.order_ = decltype(trie.order_)::of_sorted(children.size(), [&](std::size_t i) {
    const TrieNode& node = children[i]->node;
    return std::pair(Trie::OrderKey{node.parent, node.ordinal},
                     Trie::Child{children[i]->id, node.is_object});
  });
  trie.nodes_ = decltype(trie.nodes_)::of_sorted(by_id.size(), [&](std::size_t i) {
    return std::pair(by_id[i]->id, std::move(by_id[i]->node));
  });
  trie.next_id_ = next_id;
  return trie;
}

}  // namespace knarr
