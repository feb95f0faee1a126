// RowSet: which rows a call may see, as a value.
//
// A set is one range [begin, end) of rows, or, when it has gaps, a run-compressed CRoaring bitmap.
// Invariant: a set without gaps is always held as a range, so narrow scopes cost no allocation and
// equal sets have equal forms. Copying is O(1); a copy and its original share the bitmap until one
// of them is changed, and the one that is changed copies first.
//
// Threads: like an int. Distinct RowSets may be used and changed from distinct threads even while
// they share a bitmap; one RowSet may be read by many threads as long as none changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ref.h"
#include "base/types.h"

namespace knarr {

class RowSet {
 public:
  RowSet() noexcept;
  RowSet(const RowSet&) noexcept;
  RowSet(RowSet&&) noexcept;  // the source is left valid, with unspecified rows
  RowSet& operator=(const RowSet&) noexcept;
  RowSet& operator=(RowSet&&) noexcept;
  ~RowSet();

  // The rows begin, begin + 1, ..., end - 1; empty when begin >= end.
  static RowSet range(Row begin, Row end);

  // A set from the portable Roaring serialisation (pyroaring.BitMap.serialize). The bytes are
  // outside data: anything but exactly one well-formed bitmap throws Error kInvalidArgument, which
  // begins with `name`, and so does the value 4294967295, which is no row.
  static RowSet from_portable(std::span<const std::byte> bytes, std::string_view name = "filter");

  // The rows i with mask[i] != 0. At most 4294967295 entries.
  static RowSet from_mask(std::span<const std::uint8_t> mask);

  // The portable Roaring serialisation of the set.
  std::string to_portable() const;

  void add_range(Row begin, Row end);
  void remove_range(Row begin, Row end);
  void add(const RowSet& other);
  void remove(const RowSet& other);

  std::uint64_t size() const;
  bool empty() const { return !bits_ && begin_ >= end_; }
  bool contains(Row row) const;
  bool is_range() const { return !bits_; }  // true for the empty set
  Row first() const;                        // the smallest row; kNoRow when empty
  Row last() const;                         // the largest row; kNoRow when empty

  RowSet operator&(const RowSet& other) const;
  RowSet operator|(const RowSet& other) const;
  RowSet operator-(const RowSet& other) const;
  bool operator==(const RowSet& other) const;

  // Whether the two have a row in common, whether all of this are in the other, and how many they
  // have in common. Nothing is allocated, and the first two stop at the row that decides.
  bool intersects(const RowSet& other) const;
  bool is_within(const RowSet& other) const;
  std::uint64_t shared(const RowSet& other) const;

  // Calls f(begin, end) for each maximal range of rows, ascending. When f returns bool, false
  // stops. f must not change this set.
  template <class F>
  void for_each_range(F&& f) const;

  // Bit i of word j: whether the set holds row 64 · j + i. As many words as the last row needs.
  std::vector<std::uint64_t> to_words() const;

  // Memory held, this object included. A shared bitmap is counted in full by each of its sets.
  std::size_t size_bytes() const;

 private:
  struct Bits;
  using Visit = bool (*)(void* context, Row begin, Row end);

  explicit RowSet(Ref<Bits> bits);  // takes a bitmap that nobody shares; restores the invariant
  Bits& own_bits();                 // the bitmap, made or copied so that it may be changed
  void settle();                    // a bitmap without gaps becomes a range
  void visit_bits(Visit visit, void* context) const;

  Row begin_ = 0;  // the range, while bits_ is null
  Row end_ = 0;
  Ref<Bits> bits_;
};

template <class F>
void RowSet::for_each_range(F&& f) const {
  const auto call = [&f](Row begin, Row end) -> bool {
    if constexpr (std::is_same_v<std::invoke_result_t<F&, Row, Row>, bool>) {
      return f(begin, end);
    } else {
      f(begin, end);
      return true;
    }
  };
  if (bits_) {
    auto visit = [](void* context, Row begin, Row end) -> bool {
      return (*static_cast<decltype(call)*>(context))(begin, end);
    };
    visit_bits(visit, const_cast<std::remove_const_t<decltype(call)>*>(&call));
  } else if (begin_ < end_) {
    call(begin_, end_);
  }
}

}  // namespace knarr
