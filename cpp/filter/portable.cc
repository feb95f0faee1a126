// The format, little-endian throughout (RoaringFormatSpec):
//
//   u32 cookie      low half 12347: some containers hold runs; high half = containers - 1
//                   12346: no runs; a u32 count of containers follows
//   u8  run[⌈n/8⌉]  (first form only) bit i: container i holds runs
//   n × {u16 key, u16 cardinality - 1}
//   n × u32 offset  (second form always; first form when n >= 4)
//   containers      runs:   u16 count, count × {u16 start, u16 length - 1}
//                   sparse: cardinality × u16            (cardinality <= 4096)
//                   dense:  1024 × u64 of bits
//
// `key` is the high half of the rows of its container. Ranges that touch across containers, or
// across words, are joined before they are reported.
#include "filter/portable.h"

#include <bit>
#include <cassert>
#include <cstdint>

namespace knarr {
namespace {

constexpr std::uint32_t kCookieRuns = 12347;
constexpr std::uint32_t kOffsetsFrom = 4;    // containers from which the first form has offsets
constexpr std::uint32_t kSparseMost = 4096;  // values a sparse container may hold

template <class T>
T load(const unsigned char* p) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(T{p[i]} << (8 * i));
  return value;
}

// Joins touching ranges and hands on the finished ones.
class Joiner {
 public:
  Joiner(bool (*visit)(void*, Row, Row), void* context) : visit_(visit), context_(context) {}

  bool add(std::uint64_t begin, std::uint64_t end) {
    if (begin == end_) {
      end_ = end;
      return true;
    }
    const bool more = flush();
    begin_ = begin;
    end_ = end;
    return more;
  }

  bool flush() {
    return begin_ == end_ || visit_(context_, static_cast<Row>(begin_), static_cast<Row>(end_));
  }

 private:
  bool (*visit_)(void*, Row, Row);
  void* context_;
  std::uint64_t begin_ = ~std::uint64_t{0};
  std::uint64_t end_ = ~std::uint64_t{0};
};

bool visit_words(const unsigned char* p, std::uint64_t base, Joiner& out) {
  for (unsigned word = 0; word < 1024; ++word, p += 8) {
    std::uint64_t bits = load<std::uint64_t>(p);
    unsigned at = 0;
    while (bits != 0) {
      const unsigned gap = static_cast<unsigned>(std::countr_zero(bits));
      bits >>= gap;
      const unsigned length = static_cast<unsigned>(std::countr_one(bits));
      at += gap;
      const std::uint64_t begin = base + word * 64 + at;
      if (!out.add(begin, begin + length)) return false;
      at += length;
      bits = length == 64 ? 0 : bits >> length;
    }
  }
  return true;
}

}  // namespace

void visit_portable_ranges(std::span<const char> bytes, bool (*visit)(void*, Row, Row),
                           void* context) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::uint32_t cookie = load<std::uint32_t>(p);
  p += 4;
  const bool has_runs = (cookie & 0xFFFF) == kCookieRuns;
  const unsigned char* run_flags = nullptr;
  std::uint32_t count = 0;
  if (has_runs) {
    count = (cookie >> 16) + 1;
    run_flags = p;
    p += (count + 7) / 8;
  } else {
    count = load<std::uint32_t>(p);
    p += 4;
  }
  const unsigned char* heads = p;
  p += std::size_t{4} * count;
  if (!has_runs || count >= kOffsetsFrom) p += std::size_t{4} * count;

  Joiner out(visit, context);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t base = std::uint64_t{load<std::uint16_t>(heads + 4 * i)} << 16;
    const std::uint32_t cardinality = load<std::uint16_t>(heads + 4 * i + 2) + 1u;
    if (has_runs && (run_flags[i / 8] >> (i % 8) & 1) != 0) {
      const unsigned runs = load<std::uint16_t>(p);
      p += 2;
      for (unsigned r = 0; r < runs; ++r, p += 4) {
        const std::uint64_t begin = base + load<std::uint16_t>(p);
        if (!out.add(begin, begin + load<std::uint16_t>(p + 2) + 1u)) return;
      }
    } else if (cardinality <= kSparseMost) {
      for (std::uint32_t v = 0; v < cardinality; ++v, p += 2) {
        const std::uint64_t row = base + load<std::uint16_t>(p);
        if (!out.add(row, row + 1)) return;
      }
    } else {
      if (!visit_words(p, base, out)) return;
      p += 8192;
    }
  }
  out.flush();
  assert(reinterpret_cast<const char*>(p) == bytes.data() + bytes.size());
}

}  // namespace knarr
