// The only file that includes USearch. It uses index_gt, which leaves vectors and distances to its
// caller: rows are not stored a second time, and are compared by our SIMD variants.
#include "vectors/graph/graph.h"

#include "base/error.h"

#ifdef KNARR_USEARCH

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <usearch/index.hpp>
#include <usearch/index_plugins.hpp>

#include "base/coding.h"
#include "base/memory.h"

namespace knarr {
namespace {

namespace us = unum::usearch;

using Bytes = std::span<const std::byte>;
using Slot = std::uint32_t;
using Level = std::uint16_t;
using HnswIndex = us::index_gt<float, Slot, Slot, us::aligned_allocator_gt<us::byte_t, 64>,
                               us::memory_mapping_allocator_gt<8>>;

constexpr std::size_t kLinks = 16;            // HNSW's M: most links of a slot on an upper level
constexpr std::size_t kBaseLinks = 32;        // and on level 0
constexpr std::size_t kBuildExpansion = 128;  // efConstruction
constexpr std::size_t kLeastCapacity = 1024;
constexpr std::size_t kSearchContexts = 64;
constexpr std::size_t kPrefetchedBytes = 192;  // of a row; the hardware fetches the rest

constexpr std::uint32_t kVersion = 4;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kStreamHeaderBytes = 40;
constexpr Level kMostLevel = 64;

// A stored row in the place of a query, whose numbers are unsigned; they are written to `numbers`.
QueryBytes as_query(const std::byte* row, const QuantisedShape& shape,
                    const LineAligned<std::uint8_t>& numbers) {
  constexpr std::byte kSign{0x80};
  std::transform(row, row + shape.numbers, numbers.get(),
                 [](std::byte x) { return std::to_integer<std::uint8_t>(x ^ kSign); });
  return {numbers.get(), shape.scale(row)};
}

// USearch's metric: the negated cosine of two quantised rows. It may be copied, and so points to
// the left side of a comparison of two slots, which USearch often keeps from one to the next.
struct Distance {
  struct Left {
    Slot slot;
    QueryBytes side;
    LineAligned<std::uint8_t> numbers;
  };
  std::span<const std::byte* const> quantised_rows;
  const QuantisedShape& shape;
  Left* left = nullptr;
  QuantisedCosines cosines = quantised_cosines();

  template <class Member>
  float operator()(const QueryBytes& side, const Member& member) const noexcept {
    float cosine = 0;
    cosines(&quantised_rows[get_slot(member)], 1, &side, 1, shape.numbers, &cosine, 1, nullptr);
    return -cosine;
  }
  template <class Member>
  float operator()(const Member& a, const Member& b) const noexcept {
    if (left->slot != get_slot(a)) {
      left->slot = static_cast<Slot>(get_slot(a));
      left->side = as_query(quantised_rows[left->slot], shape, left->numbers);
    }
    return operator()(left->side, b);
  }
};

struct Prefetch {
  std::span<const std::byte* const> quantised_rows;

  template <class Members>
  void operator()(Members begin, const Members& end) const noexcept {
    for (; begin != end; ++begin) {
      const std::byte* row = quantised_rows[get_slot(begin)];
      for (std::size_t at = 0; at < kPrefetchedBytes; at += 64) __builtin_prefetch(row + at);
    }
  }
};

// Lends USearch's work areas, one to each running search. The lowest free one goes first, so that
// an area which a wide search has grown is used again before others grow.
class SearchContexts {
 public:
  std::size_t borrow() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [this] { return free_ != 0; });
    const auto index = static_cast<std::size_t>(std::countr_zero(free_));
    free_ &= free_ - 1;
    return index;
  }
  void give_back(std::size_t index) {
    const std::lock_guard lock(mutex_);
    free_ |= std::uint64_t{1} << index;
    returned_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable returned_;
  std::uint64_t free_ = ~std::uint64_t{0};  // a bit for each of kSearchContexts
};

// Whether each node lies on its levels, and each link leads to a node that is on the link's level.
bool has_sound_links(const HnswIndex& index, std::span<const Level> levels) {
  for (Slot slot = 0; slot < levels.size(); ++slot) {
    if (index.level_of(slot) != levels[slot]) return false;
    for (std::size_t level = 0; level <= levels[slot]; ++level) {
      const auto links = index.neighbors(slot, level);
      if (links.size() > (level == 0 ? kBaseLinks : kLinks)) return false;
      for (auto link = links.begin(); link != links.end(); ++link) {
        if (link.slot() >= levels.size() || levels[link.slot()] < level) return false;
      }
    }
  }
  return true;
}

// Reads USearch's stream: five numbers of 8 bytes, the level of each node, the nodes. USearch
// itself believes the levels and links that it loads; false where one would lead astray.
bool load_index(Bytes stream, std::size_t slots, HnswIndex& index) {
  constexpr std::size_t kKnownBytes = 24;  // size, links and links of level 0
  const std::uint64_t known[] = {slots, kLinks, kBaseLinks};
  if (stream.size() < kStreamHeaderBytes + slots * sizeof(Level)) return false;
  if (std::memcmp(stream.data(), known, kKnownBytes) != 0) return false;
  std::vector<Level> levels(slots);
  std::memcpy(levels.data(), stream.data() + kStreamHeaderBytes, slots * sizeof(Level));
  if (std::ranges::max(levels) > kMostLevel) return false;
  auto result = index.load_from_stream([&](void* piece, std::size_t n) {
    if (piece == nullptr || n > stream.size()) return false;
    std::memcpy(piece, stream.data(), n);
    stream = stream.subspan(n);
    return true;
  });
  const bool is_loaded = result.error.release() == nullptr;  // one left in place would be thrown
  return is_loaded && stream.empty() && has_sound_links(index, levels);
}

}  // namespace

struct Graph::Links {
  void reserve(std::size_t slots) {
    if (!index.try_reserve(us::index_limits_t(slots, kSearchContexts))) throw std::bad_alloc();
  }
  HnswIndex index{us::index_config_t(kLinks, kBaseLinks)};
  SearchContexts contexts;
};

bool Graph::is_built_in() { return true; }

Graph::Graph(const GraphRows& rows) : rows_(rows), links_(std::make_unique<Links>()) {}
Graph::~Graph() = default;

GraphPtr Graph::build(const Graph* base, const GraphRows& rows, const RowSet& live,
                      const std::atomic<bool>& stop) {
  std::shared_ptr<Graph> graph(new Graph(rows));
  if (base != nullptr) {
    auto copied = base->links_->index.copy();
    if (!copied) throw std::bad_alloc();
    graph->links_->index = std::move(copied.index);
    graph->row_of_slot_ = base->row_of_slot_;
    graph->quantised_rows_ = base->quantised_rows_;
    graph->rows_end_ = base->rows_end_;
  }
  const RowSet added = live & RowSet::range(graph->rows_end_, rows.end);
  added.for_each_range([&](Row begin, Row end) {
    for (Row row = begin; row < end && !stop; ++row) graph->add(row);
    return !stop;
  });
  if (stop) return nullptr;
  graph->rows_end_ = rows.end;
  return graph;
}

void Graph::add(Row row) {
  HnswIndex& index = links_->index;
  const auto slot = static_cast<Slot>(size());
  if (slot == index.capacity()) links_->reserve(std::max(kLeastCapacity, size() + size() / 4));
  row_of_slot_.push_back(row);
  quantised_rows_.push_back(rows_.quantised_row(row));
  const LineAligned<std::uint8_t> numbers(rows_.shape.numbers);
  const QueryBytes added = as_query(quantised_rows_[slot], rows_.shape, numbers);
  Distance::Left left{slot, added, LineAligned<std::uint8_t>(rows_.shape.numbers)};
  us::index_update_config_t config;
  config.expansion = kBuildExpansion;
  const auto result = index.add(slot, added, Distance{quantised_rows_, rows_.shape, &left}, config,
                                us::dummy_callback_t{}, Prefetch{quantised_rows_});
  if (result.error) throw std::bad_alloc();
}

std::size_t Graph::size_bytes() const {
  return links_->index.memory_usage(0) + row_of_slot_.capacity() * sizeof(Row) +
         quantised_rows_.capacity() * sizeof(const std::byte*);
}

GraphSearch Graph::search(const QuantisedQuery& query, const RowSet& allowed,
                          std::size_t expansion) const {
  GraphSearch out;
  if (size() == 0 || allowed.empty()) return out;
  const Row begin = allowed.first(), last = allowed.last();
  const bool is_range = allowed.is_range();
  const auto is_allowed = [&](const auto& member) noexcept {
    const Row row = row_of_slot_[get_slot(member)];
    return row >= begin && row <= last && (is_range || allowed.contains(row));
  };
  out.rows.reserve(expansion);
  us::index_search_config_t config;
  config.expansion = expansion;
  config.thread = links_->contexts.borrow();  // nothing throws until it is given back
  const auto found =
      links_->index.search(query.bytes(), expansion, Distance{quantised_rows_, rows_.shape}, config,
                           is_allowed, Prefetch{quantised_rows_});
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto match = found[i];
    const std::size_t slot = match.member.slot;
    out.rows.push_back({row_of_slot_[slot],
                        query.best(-match.distance, rows_.shape.slack(quantised_rows_[slot]))});
  }
  out.compared = found.computed_distances;
  links_->contexts.give_back(config.thread);
  if (found.error) throw std::bad_alloc();
  return out;
}

void Graph::save(FunctionRef<void(Bytes)> out) const {
  Encoder header;
  header.u32(kVersion);
  header.u32(static_cast<std::uint32_t>(rows_.shape.numbers));
  header.u64(size());
  header.u32(rows_end_);
  std::string bytes = header.bytes();
  bytes.resize(kHeaderBytes, '\0');
  out(std::as_bytes(std::span(bytes)));
  out(std::as_bytes(std::span(row_of_slot_)));
  (void)links_->index.save_to_stream([&](const void* piece, std::size_t size_bytes) {
    out({static_cast<const std::byte*>(piece), size_bytes});
    return true;
  });
}

GraphPtr Graph::load(Bytes bytes, const GraphRows& rows, const RowSet& live) {
  Decoder in(bytes, "engine.graph");
  if (in.u32() != kVersion || in.u32() != rows.shape.numbers) return nullptr;
  std::shared_ptr<Graph> graph(new Graph(rows));
  const std::uint64_t slots = in.u64();
  graph->rows_end_ = in.u32();
  (void)in.bytes(kHeaderBytes - (bytes.size() - in.left()));
  if (slots == 0 || slots > graph->rows_end_ || graph->rows_end_ > rows.end) return nullptr;
  const Bytes row_of_slot = in.bytes(slots * sizeof(Row));
  graph->row_of_slot_.resize(slots);
  std::memcpy(graph->row_of_slot_.data(), row_of_slot.data(), row_of_slot.size());
  const RowSet expected = live & RowSet::range(0, graph->rows_end_);
  std::uint64_t held = 0;
  Row least = 0;
  for (const Row row : graph->row_of_slot_) {
    if (row < least || row >= graph->rows_end_) return nullptr;
    graph->quantised_rows_.push_back(rows.quantised_row(row));
    held += expected.contains(row) ? 1 : 0;
    least = row + 1;
  }
  if (held != expected.size()) return nullptr;
  if (!load_index(in.bytes(in.left()), slots, graph->links_->index)) return nullptr;
  graph->links_->reserve(slots);
  return graph;
}

}  // namespace knarr

#else  // without USearch no graph exists, and the methods of one are never called

namespace knarr {

struct Graph::Links {};
bool Graph::is_built_in() { return false; }
GraphPtr Graph::build(const Graph*, const GraphRows&, const RowSet&, const std::atomic<bool>&) {
  fail(ErrorCode::kUnsupported,
       "this build of knarr has no graph: it was made without USearch's headers");
}
Graph::~Graph() = default;
std::size_t Graph::size_bytes() const { return 0; }
GraphSearch Graph::search(const QuantisedQuery&, const RowSet&, std::size_t) const { return {}; }
void Graph::save(FunctionRef<void(std::span<const std::byte>)>) const {}
GraphPtr Graph::load(std::span<const std::byte>, const GraphRows&, const RowSet&) { return {}; }

}  // namespace knarr

#endif
