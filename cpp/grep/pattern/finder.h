// Finder: where one of a few texts may stand, whatever the case of its ASCII letters.
//
// Three bytes in a row of each text are its mark. Texts are dealt out to eight buckets; a table for
// each byte of a mark says by a bit for which buckets a byte will do there. So three look-ups tell
// whether a mark may stand at a place, and for which texts it is worth a closer look. With AVX2,
// 32 places are asked at once, by tables of half bytes (Teddy, as Hyperscan has it).
//
// Threads: immutable.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grep/pattern/part.h"

namespace knarr {

class Finder {
 public:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // Looks for nothing: is_usable() is false.
  Finder() = default;
  // Looks for the texts of a clause (folded); with `is_loose`, for the parts of them without s and
  // k, which may stand for other letters (fold.h). Not usable when that leaves too little, or the
  // texts are too many.
  Finder(const Clause& clause, bool is_loose);

  bool is_usable() const { return !needles_.empty(); }

  // A place in text[from, to) where such a text, or the part of it that is looked for, stands as a
  // whole; kNowhere when there is none. No other one ends before it.
  std::size_t find(std::string_view text, std::size_t from, std::size_t to) const;
  // The same, a byte at a time.
  std::size_t find_plain(std::string_view text, std::size_t from, std::size_t to) const;

  // Bit b: the byte will do for a text of bucket b, at this place of its mark.
  using ByteTable = std::array<std::uint8_t, 256>;
  // The same for the low and the high half of a byte.
  struct HalfTables {
    std::array<std::uint8_t, 16> low{};
    std::array<std::uint8_t, 16> high{};
  };

 private:
  static constexpr std::size_t kMarkBytes = 3;
  static constexpr std::size_t kBuckets = 8;

  struct Needle {
    std::string text;
    std::size_t mark;  // where its mark begins
  };

  std::size_t match_at(std::string_view text, std::size_t from, std::size_t to, std::size_t mark,
                       unsigned buckets) const;
  void deal_out();
  std::size_t find_avx2(std::string_view text, std::size_t from, std::size_t to) const;

  std::vector<Needle> needles_;                      // by bucket
  std::array<std::size_t, kBuckets + 1> buckets_{};  // needles of b: [buckets_[b], buckets_[b + 1])
  std::array<ByteTable, kMarkBytes> bytes_{};
  std::array<HalfTables, kMarkBytes> halves_{};
};

}  // namespace knarr
