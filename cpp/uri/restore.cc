// Each of the trie's three trees is bulk-loaded from its sorted entries. Nodes are mostly in order
// of their ids already; the children of each directory are gathered by a counting sort.
#include "uri/restore.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"

namespace knarr {
namespace {

constexpr std::size_t kManyNodes = 20'000;  // for which a second thread pays

[[noreturn]] void refuse(const std::string& why) { fail(ErrorCode::kCorruption, why); }

}  // namespace

TrieRestorer::TrieRestorer(std::size_t nodes, std::shared_ptr<const void> names)
    : names_(std::move(names)) {
  entries_.reserve(nodes + 1);
  entries_.push_back({Trie::kRoot, 0, 0, 0, 0, false, {}});
  directories_.emplace_back();
  open_.push_back(0);
}

// The rows of a directory are complete when the list has left it.
void TrieRestorer::close() {
  const RowSet& rows = directories_[entries_[open_.back()].place];
  if (rows.empty()) refuse("a directory that holds no object");
  open_.pop_back();
  if (open_.empty()) refuse("a parent that is not an open directory before its child");
  directories_[entries_[open_.back()].place].add(rows);
}

void TrieRestorer::add(NodeId id, NodeId parent, std::string_view name, Row row) {
  while (entries_[open_.back()].id != parent) close();
  if (entries_.size() == std::numeric_limits<Index>::max()) refuse("too many nodes");
  is_ascending_ = is_ascending_ && id > entries_.back().id;
  Entry& above = entries_[open_.back()];
  Entry entry{id, open_.back(), above.children++, 0, row, row != kNoRow, name};
  if (entry.is_object) {
    directories_[above.place].add_range(row, row + 1);
  } else {
    entry.place = static_cast<std::uint32_t>(directories_.size());
    directories_.emplace_back();
    open_.push_back(static_cast<Index>(entries_.size()));
  }
  entries_.push_back(entry);
}

// A counting sort by id, unless so much was removed that few ids below `next_id` are in use.
TrieRestorer::Indexes TrieRestorer::by_id(NodeId next_id) const {
  constexpr Index none = std::numeric_limits<Index>::max();
  Indexes out(entries_.size());
  std::iota(out.begin(), out.end(), Index{0});
  const auto refuse_twice = [] { refuse("the same id or name twice"); };
  if (is_ascending_) {
    if (entries_.back().id >= next_id) refuse("an id that is not below the next free id");
    return out;
  }
  for (const Entry& entry : entries_) {
    if (entry.id >= next_id) refuse("an id that is not below the next free id");
  }
  if (next_id / 4 <= entries_.size()) {
    Indexes places(next_id, none);
    for (const Index i : out) {
      if (std::exchange(places[entries_[i].id], i) != none) refuse_twice();
    }
    std::erase(places, none);
    return places;
  }
  std::ranges::sort(out, {}, [this](Index i) { return entries_[i].id; });
  const auto is_same = [this](Index a, Index b) { return entries_[a].id == entries_[b].id; };
  if (std::ranges::adjacent_find(out, is_same) != out.end()) refuse_twice();
  return out;
}

// All but the root, by the id of their parent, then in order.
TrieRestorer::Indexes TrieRestorer::by_parent(const Indexes& by_id) const {
  Indexes begins(entries_.size());
  Index at = 0;
  for (const Index i : by_id) {
    begins[i] = at;
    at += entries_[i].children;
  }
  Indexes out(entries_.size() - 1);
  for (Index i = 1; i < entries_.size(); ++i) {
    out[begins[entries_[i].parent] + entries_[i].ordinal] = i;
  }
  return out;
}

// Children of one directory, as hash << 32 | index: by hash and id; no two of them have one name.
void TrieRestorer::sort_names(std::uint64_t* first, std::uint64_t* last) const {
  const auto hash = [](std::uint64_t each) { return each >> 32; };
  const auto entry = [this](std::uint64_t each) -> const Entry& {
    return entries_[static_cast<Index>(each)];
  };
  std::sort(first, last);
  for (std::uint64_t* run = first; run != last;) {
    std::uint64_t* behind = run + 1;
    while (behind != last && hash(*behind) == hash(*run)) ++behind;
    if (behind - run > 1) {
      const std::span same(run, behind);
      std::ranges::sort(same, {}, [&](std::uint64_t each) { return entry(each).name; });
      const auto are_one = [&](std::uint64_t a, std::uint64_t b) {
        return entry(a).name == entry(b).name;
      };
      if (std::ranges::adjacent_find(same, are_one) != same.end())
        refuse("the same id or name twice");
      std::ranges::sort(same, {}, [&](std::uint64_t each) { return entry(each).id; });
    }
    run = behind;
  }
}

void TrieRestorer::restore_names(Trie& trie, const Indexes& children) const {
  LargeVector<std::uint64_t> names(children.size());
  for (std::size_t begin = 0, end; begin < children.size(); begin = end) {
    const Index parent = entries_[children[begin]].parent;
    end = begin + entries_[parent].children;
    for (std::size_t i = begin; i < end; ++i) {
      const Index child = children[i];
      names[i] = std::uint64_t{Trie::hash_of(entries_[child].name)} << 32 | child;
    }
    sort_names(names.data() + begin, names.data() + end);
  }
  trie.names_ = decltype(trie.names_)::of_sorted(names.size(), [&](std::size_t i) {
    const Entry& entry = entries_[static_cast<Index>(names[i])];
    const auto hash = static_cast<std::uint32_t>(names[i] >> 32);
    return std::pair(Trie::NameKey{entries_[entry.parent].id, hash, entry.id}, Trie::Nothing{});
  });
}

TrieNode TrieRestorer::node(const Entry& entry) {
  TrieNode out;
  out.parent = &entry == entries_.data() ? kNoNode : entries_[entry.parent].id;
  out.is_object = entry.is_object;
  out.ordinal = entry.ordinal;
  out.next_ordinal = entry.children;
  out.name = Name::in_place(entry.name);
  out.rows = entry.is_object ? RowSet::range(entry.place, entry.place + 1)
                             : std::move(directories_[entry.place]);
  return out;
}

Trie TrieRestorer::finish(NodeId next_id) {
  while (open_.size() > 1) close();
  const Indexes ids = by_id(next_id);
  const Indexes children = by_parent(ids);
  Trie trie;
  const unsigned workers = entries_.size() < kManyNodes ? 1 : 2;
  parallel_for(2, workers, [&](unsigned, std::size_t task) {
    if (task == 1) {
      trie.nodes_ = decltype(trie.nodes_)::of_sorted(ids.size(), [&](std::size_t i) {
        return std::pair(entries_[ids[i]].id, node(entries_[ids[i]]));
      });
      return;
    }
    restore_names(trie, children);
    trie.order_ = decltype(trie.order_)::of_sorted(children.size(), [&](std::size_t i) {
      const Entry& entry = entries_[children[i]];
      return std::pair(Trie::OrderKey{entries_[entry.parent].id, entry.ordinal},
                       Trie::Child{entry.id, entry.is_object});
    });
  });
  trie.names_owner_ = std::move(names_);
  trie.next_id_ = next_id;
  return trie;
}

}  // namespace knarr
