// Two forms of one set, and the rule that keeps them apart: after every change `settle` turns a
// bitmap without gaps back into a range. Bitmaps are run-compressed when they are made and after
// every kEditsPerPacking edits, so that a folder whose documents come and go keeps a small one.
#include "filter/rows.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "base/error.h"
#include "filter/portable.h"

#ifdef KNARR_SYSTEM_ROARING
#include <roaring/roaring.h>
#else
#include "roaring.h"
#endif

namespace knarr {

namespace api = roaring::api;
using api::roaring_bitmap_t;

namespace {

constexpr unsigned kEditsPerPacking = 64;

struct FreeMap {
  void operator()(roaring_bitmap_t* map) const { api::roaring_bitmap_free(map); }
};
using Map = std::unique_ptr<roaring_bitmap_t, FreeMap>;

Map checked(roaring_bitmap_t* map) {
  if (map == nullptr) throw std::bad_alloc();
  return Map(map);
}

Map map_of_range(Row begin, Row end) {
  if (begin >= end) return checked(api::roaring_bitmap_create());
  return checked(api::roaring_bitmap_from_range(begin, end, 1));
}

std::string serialised(const roaring_bitmap_t* map) {
  std::string bytes(api::roaring_bitmap_portable_size_in_bytes(map), '\0');
  api::roaring_bitmap_portable_serialize(map, bytes.data());
  return bytes;
}

}  // namespace

struct RowSet::Bits : RefCounted {
  explicit Bits(Map m) : map(std::move(m)) {}
  Map map;
  unsigned edits = 0;  // since the last packing
};

RowSet::RowSet() noexcept = default;
RowSet::RowSet(const RowSet&) noexcept = default;
RowSet::RowSet(RowSet&&) noexcept = default;
RowSet& RowSet::operator=(const RowSet&) noexcept = default;
RowSet& RowSet::operator=(RowSet&&) noexcept = default;
RowSet::~RowSet() = default;

RowSet::RowSet(Ref<Bits> bits) : bits_(std::move(bits)) { settle(); }

RowSet RowSet::range(Row begin, Row end) {
  RowSet set;
  if (begin < end) {
    set.begin_ = begin;
    set.end_ = end;
  }
  return set;
}

RowSet RowSet::from_portable(std::span<const std::byte> bytes, std::string_view name) {
  const auto* data = reinterpret_cast<const char*>(bytes.data());
  const auto refuse = [&](const std::string& why) {
    fail(ErrorCode::kInvalidArgument, std::string(name) + ": " + std::to_string(bytes.size()) +
                                          " bytes are not a portable Roaring bitmap: " + why);
  };
  const std::size_t used =
      bytes.empty() ? 0 : api::roaring_bitmap_portable_deserialize_size(data, bytes.size());
  if (used == 0) refuse("the header or a container is cut off or malformed");
  if (used != bytes.size()) refuse("the bitmap ends after " + std::to_string(used) + " bytes");
  Map map(api::roaring_bitmap_portable_deserialize_safe(data, bytes.size()));
  if (!map) refuse("the header or a container is malformed");
  const char* reason = nullptr;
  if (!api::roaring_bitmap_internal_validate(map.get(), &reason)) {
    refuse(reason != nullptr ? reason : "its containers are inconsistent");
  }
  if (api::roaring_bitmap_contains(map.get(), kNoRow)) {
    refuse("it holds 4294967295, which is no row");
  }
  api::roaring_bitmap_run_optimize(map.get());
  return RowSet(make_ref<Bits>(std::move(map)));
}

RowSet RowSet::from_mask(std::span<const std::uint8_t> mask) {
  if (mask.size() > kNoRow) {
    fail(ErrorCode::kInvalidArgument, "filter: a mask of " + std::to_string(mask.size()) +
                                          " entries, expected at most 4294967295");
  }
  const std::string bytes = portable_of_mask(mask);
  Map map = checked(api::roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size()));
  api::roaring_bitmap_run_optimize(map.get());
  return RowSet(make_ref<Bits>(std::move(map)));
}

std::string RowSet::to_portable() const {
  if (bits_) return serialised(bits_->map.get());
  return serialised(map_of_range(begin_, end_).get());
}

RowSet::Bits& RowSet::own_bits() {
  if (!bits_) {
    bits_ = make_ref<Bits>(map_of_range(begin_, end_));
    begin_ = end_ = 0;
  } else if (!bits_.unique()) {
    bits_ = make_ref<Bits>(checked(api::roaring_bitmap_copy(bits_->map.get())));
  }
  return *bits_;
}

void RowSet::settle() {
  if (!bits_) return;
  roaring_bitmap_t* map = bits_->map.get();
  if (api::roaring_bitmap_is_empty(map)) {
    *this = RowSet();
    return;
  }
  const Row begin = api::roaring_bitmap_minimum(map);
  const Row end = api::roaring_bitmap_maximum(map) + 1;
  if (api::roaring_bitmap_contains_range(map, begin, end)) {  // stops at the first gap
    *this = range(begin, end);
  } else if (bits_->edits >= kEditsPerPacking) {
    api::roaring_bitmap_run_optimize(map);
    bits_->edits = 0;
  }
}

void RowSet::add_range(Row begin, Row end) {
  if (begin >= end) return;
  if (empty()) {
    *this = range(begin, end);
  } else if (!bits_ && begin <= end_ && begin_ <= end) {
    begin_ = std::min(begin_, begin);
    end_ = std::max(end_, end);
  } else {
    Bits& bits = own_bits();
    api::roaring_bitmap_add_range(bits.map.get(), begin, end);
    ++bits.edits;
    settle();
  }
}

void RowSet::remove_range(Row begin, Row end) {
  if (begin >= end || empty()) return;
  if (!bits_) {
    if (end <= begin_ || end_ <= begin) return;
    if (begin <= begin_ || end_ <= end) {
      *this = begin <= begin_ ? range(end, end_) : range(begin_, begin);
      return;
    }
  }
  Bits& bits = own_bits();
  api::roaring_bitmap_remove_range(bits.map.get(), begin, end);
  ++bits.edits;
  settle();
}

void RowSet::add(const RowSet& other) {
  if (!other.bits_) {
    add_range(other.begin_, other.end_);
  } else if (!bits_) {
    RowSet sum = other;
    sum.add_range(begin_, end_);
    *this = std::move(sum);
  } else if (bits_.get() != other.bits_.get()) {
    Bits& bits = own_bits();
    api::roaring_bitmap_or_inplace(bits.map.get(), other.bits_->map.get());
    ++bits.edits;
    settle();
  }
}

void RowSet::remove(const RowSet& other) {
  if (!other.bits_) {
    remove_range(other.begin_, other.end_);
  } else if (bits_.get() == other.bits_.get()) {
    *this = RowSet();
  } else if (!empty()) {
    Bits& bits = own_bits();
    api::roaring_bitmap_andnot_inplace(bits.map.get(), other.bits_->map.get());
    ++bits.edits;
    settle();
  }
}

std::uint64_t RowSet::size() const {
  return bits_ ? api::roaring_bitmap_get_cardinality(bits_->map.get()) : end_ - begin_;
}

bool RowSet::contains(Row row) const {
  return bits_ ? api::roaring_bitmap_contains(bits_->map.get(), row) : begin_ <= row && row < end_;
}

Row RowSet::first() const {
  if (bits_) return api::roaring_bitmap_minimum(bits_->map.get());
  return empty() ? kNoRow : begin_;
}

Row RowSet::last() const {
  if (bits_) return api::roaring_bitmap_maximum(bits_->map.get());
  return empty() ? kNoRow : end_ - 1;
}

RowSet RowSet::operator&(const RowSet& other) const {
  if (!bits_ && !other.bits_) {
    return range(std::max(begin_, other.begin_), std::min(end_, other.end_));
  }
  if (!bits_) return other & *this;
  if (bits_.get() == other.bits_.get()) return *this;
  if (other.bits_) {
    return RowSet(
        make_ref<Bits>(checked(api::roaring_bitmap_and(bits_->map.get(), other.bits_->map.get()))));
  }
  if (other.is_within(*this)) return other;
  if (is_within(other)) return *this;
  const Map window = map_of_range(other.begin_, other.end_);
  return RowSet(make_ref<Bits>(checked(api::roaring_bitmap_and(bits_->map.get(), window.get()))));
}

RowSet RowSet::operator|(const RowSet& other) const {
  RowSet sum = *this;
  sum.add(other);
  return sum;
}

RowSet RowSet::operator-(const RowSet& other) const {
  if (!bits_ || !other.bits_) {
    RowSet rest = *this;
    rest.remove(other);
    return rest;
  }
  return RowSet(make_ref<Bits>(
      checked(api::roaring_bitmap_andnot(bits_->map.get(), other.bits_->map.get()))));
}

bool RowSet::intersects(const RowSet& other) const {
  if (!bits_ && !other.bits_) return std::max(begin_, other.begin_) < std::min(end_, other.end_);
  if (!bits_) return other.intersects(*this);
  if (other.bits_) return api::roaring_bitmap_intersect(bits_->map.get(), other.bits_->map.get());
  return !other.empty() &&
         api::roaring_bitmap_intersect_with_range(bits_->map.get(), other.begin_, other.end_);
}

bool RowSet::is_within(const RowSet& other) const {
  if (empty()) return true;
  if (!other.bits_) return other.begin_ <= first() && last() < other.end_;
  if (!bits_) return api::roaring_bitmap_contains_range(other.bits_->map.get(), begin_, end_);
  return bits_.get() == other.bits_.get() ||
         api::roaring_bitmap_is_subset(bits_->map.get(), other.bits_->map.get());
}

std::uint64_t RowSet::shared(const RowSet& other) const {
  if (!bits_ && !other.bits_) return (*this & other).size();
  if (!bits_) return other.shared(*this);
  if (other.bits_) {
    return api::roaring_bitmap_and_cardinality(bits_->map.get(), other.bits_->map.get());
  }
  // A document, say, is allowed as a whole: counting would go through its container's runs.
  if (other.is_within(*this)) return other.size();
  return api::roaring_bitmap_range_cardinality(bits_->map.get(), other.begin_, other.end_);
}

bool RowSet::operator==(const RowSet& other) const {
  if (empty() || other.empty()) return empty() && other.empty();
  if (!bits_ || !other.bits_) {
    return !bits_ && !other.bits_ && begin_ == other.begin_ && end_ == other.end_;
  }
  return bits_.get() == other.bits_.get() ||
         api::roaring_bitmap_equals(bits_->map.get(), other.bits_->map.get());
}

std::vector<std::uint64_t> RowSet::to_words() const {
  if (empty()) return {};
  std::vector<std::uint64_t> words(std::size_t{last()} / 64 + 1);
  if (!bits_) {
    for (Row row = begin_; row < end_; ++row) words[row / 64] |= std::uint64_t{1} << (row % 64);
    return words;
  }
  struct FreeWords {
    void operator()(api::bitset_t* set) const { api::bitset_free(set); }
  };
  const std::unique_ptr<api::bitset_t, FreeWords> set(api::bitset_create());
  if (!set || !api::roaring_bitmap_to_bitset(bits_->map.get(), set.get())) throw std::bad_alloc();
  std::copy_n(set->array, std::min(words.size(), set->arraysize), words.begin());
  return words;
}

std::size_t RowSet::size_bytes() const {
  if (!bits_) return sizeof(RowSet);
  return sizeof(RowSet) + sizeof(Bits) + api::roaring_bitmap_size_in_bytes(bits_->map.get());
}

void RowSet::visit_bits(Visit visit, void* context) const {
  visit_portable_ranges(serialised(bits_->map.get()), visit, context);
}

}  // namespace knarr
