// Segments: an array that grows while it is read.
//
// Entries stand in segments of fixed capacity that never move. A View is (the segments, n): it sees
// the first n entries as they were when it was taken, for as long as it lives.
//
// Threads: one writer. Views may be read from any thread while the writer appends, because it only
// touches entries that no view sees; a view reaches another thread through something that
// synchronises (a published pointer). `replace` copies the segment it changes.
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

  View view() const {
    View view;
    view.table_ = table_;
    view.size_ = size_;
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
    (*(*table_)[size_ / kCapacity])[size_ % kCapacity] = std::move(value);
    ++size_;
  }

  // Forgets the entries from n on. They must not be part of any view that is still read.
  void truncate(std::size_t n) {
    for (; size_ > n; --size_) (*(*table_)[(size_ - 1) / kCapacity])[(size_ - 1) % kCapacity] = T{};
  }

  // Changes entry i for views taken from now on.
  void replace(std::size_t i, T value) {
    auto table = std::make_shared<Table>(*table_);
    auto& segment = (*table)[i / kCapacity];
    segment = std::make_shared<Segment>(*segment);
    (*segment)[i % kCapacity] = std::move(value);
    table_ = std::move(table);
  }

  std::size_t size_bytes() const {
    return table_->size() * (kCapacity * sizeof(T) + sizeof(std::shared_ptr<Segment>));
  }

 private:
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
  std::size_t size_ = 0;
};

}  // namespace knarr
