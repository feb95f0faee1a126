// The only file that knows USearch. Of it, index_gt is used: it leaves vectors and distances to
// its caller, so that rows are not held a second time.
#include "vectors/graph/graph_links.h"

#ifdef KNARR_USEARCH

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <usearch/index.hpp>
#include <utility>
#include <vector>

#include "vectors/graph/graph_memory.h"

namespace knarr {
namespace {

namespace us = unum::usearch;

// How many slots are looked at to find the links of a new one: more make a better graph, later.
constexpr std::size_t kEffort = 128;
constexpr std::size_t kLeastCapacity = 1024;
constexpr std::size_t kPrefetchedBytes = 192;  // of a row; the rest follows as it is read

using LinkIndex = us::index_gt<float, Slot, Slot, GraphHeap<char>, GraphTape>;

// A row in the place of a query.
class LeftSide {
 public:
  LeftSide(const std::byte* row, const QuantisedShape& shape) : memory_(shape.numbers + kLine) {
    void* at = memory_.data();
    std::size_t room = memory_.size();
    numbers_ = static_cast<std::uint8_t*>(std::align(kLine, shape.numbers, at, room));
    set(row, shape);
  }
  LeftSide(const LeftSide&) = delete;
  LeftSide& operator=(const LeftSide&) = delete;

  void set(const std::byte* row, const QuantisedShape& shape) {
    constexpr std::byte kSign{0x80};
    std::transform(row, row + shape.numbers, numbers_,
                   [](std::byte x) { return std::to_integer<std::uint8_t>(x ^ kSign); });
    scale_ = shape.scale(row);
  }
  float distance(const std::byte* row, const QuantisedShape& shape, QuantisedCosines cosines) const {
    const QuantisedSide side{numbers_, scale_};
    float cosine = 0;
    cosines(&row, 1, &side, 1, shape.numbers, &cosine, 1, nullptr);
    return -cosine;
  }

 private:
  static constexpr std::size_t kLine = 64;

  std::vector<std::uint8_t> memory_;
  std::uint8_t* numbers_;
  float scale_;
};

// The new slot's row, and any slot's: USearch compares one with many in a row.
struct Sides {
  std::span<const std::byte* const> vectors;
  const QuantisedShape& shape;
  LeftSide added;
  LeftSide other;
  Slot other_slot;
};

// Distances: the negated products of vectors. USearch copies it.
struct Metric {
  Sides* sides;
  QuantisedCosines cosines;

  template <class Member>
  float operator()(const LeftSide* added, const Member& member) const noexcept {
    return added->distance(sides->vectors[get_slot(member)], sides->shape, cosines);
  }
  template <class Member>
  float operator()(const Member& a, const Member& b) const noexcept {
    if (sides->other_slot != get_slot(a)) {
      sides->other_slot = get_slot(a);
      sides->other.set(sides->vectors[sides->other_slot], sides->shape);
    }
    return sides->other.distance(sides->vectors[get_slot(b)], sides->shape, cosines);
  }
};

struct Prefetch {
  const Sides* sides;

  template <class Members>
  void operator()(Members begin, const Members& end) const noexcept {
    for (; begin != end; ++begin) {
      const std::byte* row = sides->vectors[get_slot(begin)];
      for (std::size_t at = 0; at < kPrefetchedBytes; at += 64) __builtin_prefetch(row + at);
    }
  }
};

// What USearch writes before its levels (u16 each) and nodes: key, level, then for each level the
// number of links and room for all that there may be.
struct Header {
  std::uint64_t size, links, links_below, top_level, entry;
};
constexpr std::size_t kNodeHead = sizeof(Slot) + sizeof(std::uint16_t);

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::size_t list_bytes(std::size_t links) { return sizeof(std::uint32_t) + links * sizeof(Slot); }
std::size_t node_bytes(std::size_t level) {
  return kNodeHead + list_bytes(kMostLinks) + level * list_bytes(kMostLinks / 2);
}

// Whether every list of every node leads to slots that lie on its level.
bool is_sound(std::span<const std::byte> bytes, std::size_t slots) {
  constexpr std::size_t kMostLevel = 64;
  if (bytes.size() < sizeof(Header)) return false;
  const auto header = load<Header>(bytes.data());
  if (header.size != slots || header.links != kMostLinks / 2 || header.links_below != kMostLinks) {
    return false;
  }
  if (slots == 0 || header.entry >= slots) return false;
  if ((bytes.size() - sizeof(Header)) / sizeof(std::uint16_t) < slots) return false;
  const std::byte* levels = bytes.data() + sizeof(Header);
  const auto level_of = [&](std::size_t slot) {
    return load<std::uint16_t>(levels + slot * sizeof(std::uint16_t));
  };
  std::size_t at = sizeof(Header) + slots * sizeof(std::uint16_t);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::size_t top = level_of(slot);
    if (top > std::min<std::size_t>(kMostLevel, level_of(header.entry))) return false;
    if (bytes.size() - at < node_bytes(top)) return false;
    const std::byte* node = bytes.data() + at;
    if (load<std::uint16_t>(node + sizeof(Slot)) != top) return false;
    const std::byte* list = node + kNodeHead;
    for (std::size_t level = 0; level <= top; ++level) {
      const std::size_t most = level == 0 ? kMostLinks : kMostLinks / 2;
      const auto n = load<std::uint32_t>(list);
      if (n > most) return false;
      for (std::size_t i = 0; i < n; ++i) {
        const auto to = load<Slot>(list + list_bytes(i));
        if (to >= slots || level_of(to) < level) return false;
      }
      list += list_bytes(most);
    }
    at += node_bytes(top);
  }
  return at == bytes.size() && header.top_level == level_of(header.entry);
}

}  // namespace

struct GraphLinks::Index {
  Index() : links(us::index_config_t(kMostLinks / 2, kMostLinks)) {}
  explicit Index(LinkIndex&& other) : links(std::move(other)) {}

  LinkIndex links;
};

bool GraphLinks::is_built_in() { return true; }

GraphLinks::GraphLinks() : index_(std::make_unique<Index>()) {}
GraphLinks::~GraphLinks() = default;

std::unique_ptr<GraphLinks> GraphLinks::copy() const {
  auto out = std::make_unique<GraphLinks>();
  if (size_ == 0) return out;
  auto copied = index_->links.copy();
  if (!copied) throw std::bad_alloc();
  out->index_ = std::make_unique<Index>(std::move(copied.index));
  out->size_ = size_;
  out->entry_ = entry_;
  return out;
}

void GraphLinks::add(std::span<const std::byte* const> vectors, const QuantisedShape& shape) {
  LinkIndex& links = index_->links;
  if (size_ == links.capacity()) {
    const std::size_t room = std::max(kLeastCapacity, size_ + size_ / 4);
    if (!links.try_reserve(us::index_limits_t(room, 1))) throw std::bad_alloc();
  }
  const auto slot = static_cast<Slot>(size_);
  const std::byte* row = vectors[slot];
  Sides sides{vectors, shape, LeftSide(row, shape), LeftSide(row, shape), slot};
  us::index_update_config_t how;
  how.expansion = kEffort;
  const std::size_t top = links.max_level();
  const LeftSide* added = &sides.added;
  const auto result = links.add(slot, added, Metric{&sides, quantised_cosines()}, how,
                                us::dummy_callback_t{}, Prefetch{&sides});
  if (result.error) throw std::bad_alloc();
  if (size_++ == 0 || level(slot) > top) entry_ = slot;
}

std::size_t GraphLinks::level(Slot slot) const { return index_->links.level_of(slot); }

std::size_t GraphLinks::links(Slot slot, std::size_t level, Slot* out) const {
  const auto near = index_->links.neighbors(slot, level);
  std::size_t n = 0;
  for (auto it = near.begin(), end = near.end(); it != end; ++it) out[n++] = it.slot();
  return n;
}

std::size_t GraphLinks::size_bytes() const {
  return index_->links.tape_allocator().size_bytes() + index_->links.capacity() * sizeof(void*);
}

void GraphLinks::write(FunctionRef<void(std::span<const std::byte>)> out) const {
  (void)index_->links.save_to_stream([&](const void* piece, std::size_t bytes) {
    out({static_cast<const std::byte*>(piece), bytes});
    return true;
  });
}

std::unique_ptr<GraphLinks> GraphLinks::read(std::span<const std::byte> bytes, std::size_t slots) {
  if (!is_sound(bytes, slots)) return nullptr;
  auto out = std::make_unique<GraphLinks>();
  std::size_t at = 0;
  const auto result = out->index_->links.load_from_stream([&](void* piece, std::size_t size) {
    std::memcpy(piece, bytes.data() + at, size);
    at += size;
    return true;
  });
  if (result.error) throw std::bad_alloc();
  out->size_ = slots;
  out->entry_ = static_cast<Slot>(load<Header>(bytes.data()).entry);
  return out;
}

}  // namespace knarr

#else  // without USearch nothing is ever added, and the rest is never called

#include "base/error.h"

namespace knarr {

struct GraphLinks::Index {};

bool GraphLinks::is_built_in() { return false; }
GraphLinks::GraphLinks() {
  fail(ErrorCode::kUnsupported,
       "this build of knarr has no graph: it was made without USearch's headers");
}
GraphLinks::~GraphLinks() = default;
std::unique_ptr<GraphLinks> GraphLinks::copy() const { return nullptr; }
void GraphLinks::add(std::span<const std::byte* const>, const QuantisedShape&) {}
std::size_t GraphLinks::level(Slot) const { return 0; }
std::size_t GraphLinks::links(Slot, std::size_t, Slot*) const { return 0; }
std::size_t GraphLinks::size_bytes() const { return 0; }
void GraphLinks::write(FunctionRef<void(std::span<const std::byte>)>) const {}
std::unique_ptr<GraphLinks> GraphLinks::read(std::span<const std::byte>, std::size_t) {
  return nullptr;
}

}  // namespace knarr

#endif
