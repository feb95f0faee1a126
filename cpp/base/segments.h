// Segments: an array that grows while it is read.
//
// Entries stand in segments of fixed capacity that never move. A View is (the segments, n): it sees
// the first n entries as they were when it was taken, for as long as it lives.
//
// Threads: one writer, which also takes the views. They may be read from any thread while it goes
// on, because it only touches entries that no view sees: `set` on one that may be seen copies its
// segment, the first time after a view. A view reaches another thread through something that
// synchronises (a published pointer).
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace knarr {

template <class T, std::size_t kCapacity = 1024>
class Segments {
  using Segment = std::vector<T>;  // always kCapacity long
  using Table = std::vector<std::shared_ptr<Segment>>;

 public:
  class View {
   public:
    std::size_t size() const { return size_; }
    const T& operator[](std::size_t i) const { return (*(*table_)[i / kCapacity])[i % kCapacity]; }

   private:
    friend class Segments;
    std::shared_ptr<const Table> table_;
    std::size_t size_ = 0;
  };

  View view() {
    View view;
    view.table_ = table_;
    view.size_ = size_;
    seen_ = size_;
    own_.clear();
    return view;
  }

  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return (*(*table_)[i / kCapacity])[i % kCapacity]; }

  void push_back(T value) {
    if (size_ == table_->size() * kCapacity) {
      auto grown = std::make_shared<Table>();
      grown->reserve(table_->size() + 1);
      *grown = *table_;
      grown->push_back(std::make_shared<Segment>(kCapacity));
      table_ = std::move(grown);
    }
    slot(size_) = std::move(value);
    ++size_;
  }

  // Appends entries T{} until there are n.
  void grow(std::size_t n) {
    if (n <= size_) return;
    const std::size_t segments = (n + kCapacity - 1) / kCapacity;
    if (segments > table_->size()) {
      auto grown = std::make_shared<Table>(*table_);
      grown->reserve(segments);
      while (grown->size() < segments) grown->push_back(std::make_shared<Segment>(kCapacity));
      table_ = std::move(grown);
    }
    size_ = n;
  }

  // Forgets the entries from n on. Views that see them must not be read any more.
  void truncate(std::size_t n) {
    for (; size_ > n; --size_) slot(size_ - 1) = T{};
    seen_ = seen_ < n ? seen_ : n;
  }

  // Changes entry i for views taken from now on.
  void set(std::size_t i, T value) { edit(i) = std::move(value); }
  // The same, in place.
  T& edit(std::size_t i) {
    if (i < seen_) own_segment(i / kCapacity);
    return slot(i);
  }

  std::size_t size_bytes() const {
    return table_->size() * (kCapacity * sizeof(T) + sizeof(std::shared_ptr<Segment>));
  }

 private:
  // Makes a segment one that no view sees; each at most once between two views.
  void own_segment(std::size_t at) {
    if (at < own_.size() && own_[at]) return;
    if (own_.empty()) table_ = std::make_shared<Table>(*table_);
    if (own_.size() < table_->size()) own_.resize(table_->size());
    auto& segment = (*table_)[at];
    segment = std::make_shared<Segment>(*segment);
    own_[at] = true;
  }
  T& slot(std::size_t i) { return (*(*table_)[i / kCapacity])[i % kCapacity]; }

  std::shared_ptr<Table> table_ = std::make_shared<Table>();
  std::size_t size_ = 0;
  std::size_t seen_ = 0;   // entries that a view may see
  std::vector<bool> own_;  // segments copied since the last view; empty: neither is the table
};

}  // namespace knarr
