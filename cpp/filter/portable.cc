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

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <vector>

namespace knarr {
namespace {

constexpr std::uint32_t kCookieRuns = 12347;
constexpr std::uint32_t kCookieNoRuns = 12346;
constexpr std::uint32_t kOffsetsFrom = 4;    // containers from which the first form has offsets
constexpr std::uint32_t kSparseMost = 4096;  // values a sparse container may hold
constexpr std::size_t kContainerRows = 65536;
constexpr std::size_t kContainerWords = kContainerRows / 64;

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
  for (std::size_t word = 0; word < kContainerWords; ++word, p += 8) {
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

template <class T>
void append(std::string& out, T value) {
  std::array<char, sizeof(T)> bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xFF);
  out.append(bytes.data(), bytes.size());
}

// Bit i of the result: whether byte i is not zero.
std::uint64_t bits_of_8(const unsigned char* bytes) {
  constexpr std::uint64_t kLow = 0x7F7F'7F7F'7F7F'7F7Fu;
  const auto x = load<std::uint64_t>(bytes);
  const std::uint64_t ones = (((x & kLow) + kLow) | x) >> 7 & 0x0101'0101'0101'0101u;
  return ones * 0x0102'0408'1020'4080u >> 56;  // gathers bit 8i at bit 56 + i
}

// The words of up to 64 Ki entries; returns how many of them are set.
std::uint32_t words_of(std::span<const std::uint8_t> mask, std::uint64_t* words) {
  std::uint32_t set = 0;
  for (std::size_t w = 0; w < kContainerWords; ++w) {
    words[w] = 0;
    std::size_t i = w * 64;
    const std::size_t end = std::min(i + 64, mask.size());
    for (; i + 8 <= end; i += 8) words[w] |= bits_of_8(mask.data() + i) << (i % 64);
    for (; i < end; ++i) words[w] |= std::uint64_t{mask[i] != 0} << (i % 64);
    set += static_cast<std::uint32_t>(std::popcount(words[w]));
  }
  return set;
}

void append_container(std::string& out, const std::uint64_t* words, std::uint32_t set) {
  for (std::size_t w = 0; w < kContainerWords; ++w) {
    if (set > kSparseMost) {
      append(out, words[w]);
      continue;
    }
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
      append(out, static_cast<std::uint16_t>(w * 64 + bit));
    }
  }
}

}  // namespace

std::string portable_of_mask(std::span<const std::uint8_t> mask) {
  struct Head {
    std::uint16_t key;
    std::uint32_t set;
    std::size_t offset;  // in `containers`
  };
  std::vector<Head> heads;
  std::string containers;
  std::array<std::uint64_t, kContainerWords> words;
  for (std::size_t begin = 0; begin < mask.size(); begin += kContainerRows) {
    const std::size_t n = std::min(kContainerRows, mask.size() - begin);
    const std::uint32_t set = words_of(mask.subspan(begin, n), words.data());
    if (set == 0) continue;
    heads.push_back({static_cast<std::uint16_t>(begin / kContainerRows), set, containers.size()});
    append_container(containers, words.data(), set);
  }
  std::string out;
  append(out, kCookieNoRuns);
  append(out, static_cast<std::uint32_t>(heads.size()));
  for (const Head& head : heads) {
    append(out, head.key);
    append(out, static_cast<std::uint16_t>(head.set - 1));
  }
  const std::size_t first = out.size() + 4 * heads.size();
  for (const Head& head : heads) append(out, static_cast<std::uint32_t>(first + head.offset));
  return out + containers;
}

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
  for (std::size_t i = 0; i < count; ++i) {
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
      p += 8 * kContainerWords;
    }
  }
  out.flush();
  assert(reinterpret_cast<const char*>(p) == bytes.data() + bytes.size());
}

}  // namespace knarr
