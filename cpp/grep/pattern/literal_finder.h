// LiteralFinder: finds the next place of one of a few texts, whatever the case of ASCII letters.
//
// This is Teddy, the matcher for small sets of literals from Wang et al., "Hyperscan: A Fast
// Multi-pattern Regex Matcher for Modern CPUs" (NSDI 2019). Three bytes in a row of each text are
// its fingerprint, chosen for rare letters. The texts are distributed over eight buckets, and for
// each byte of a fingerprint a table says, with a bit per bucket, for which buckets a byte of the
// text fits. The AND of three look-ups tells whether a fingerprint may begin at a place, and of
// which bucket; only there are the texts compared. With AVX2 the tables are split by the halves of
// a byte, so that one shuffle looks up 32 places at once.
//
// Invariant: a fingerprint is never missed, since splitting a table only adds bits.
// Cost: about eight vector instructions for each of the three bytes, per 32 bytes of text.
//
// Threads: immutable.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grep/pattern/match_info.h"

namespace knarr {

class LiteralFinder {
 public:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // Looks for nothing: is_usable() is false.
  LiteralFinder() = default;
  // Looks for the texts of a clause (folded). With `is_loose` it looks for their longest parts
  // without s and k, which may stand for letters beyond ASCII (fold.h). Not usable when a part is
  // shorter than a fingerprint or there are too many texts.
  LiteralFinder(const Clause& clause, bool is_loose);

  bool is_usable() const { return !needles_.empty(); }

  // A place in text[from, to) where a text, or the part of it that is looked for, stands as a
  // whole; kNowhere when there is none. No other occurrence ends before it.
  std::size_t find(std::string_view text, std::size_t from, std::size_t to) const;
  // The same, byte by byte.
  std::size_t find_plain(std::string_view text, std::size_t from, std::size_t to) const;

 private:
  static constexpr std::size_t kFingerprintBytes = 3;
  static constexpr std::size_t kBuckets = 8;

  // Bit b: the byte fits a text of bucket b, at this place of its fingerprint.
  using ByteTable = std::array<std::uint8_t, 256>;
  // The same for the low and the high half of a byte.
  struct HalfTables {
    std::array<std::uint8_t, 16> low{};
    std::array<std::uint8_t, 16> high{};
  };
  struct Needle {
    std::string text;
    std::size_t fingerprint;  // where it begins in the text
  };

  void fill_buckets();
  std::size_t first_match(std::string_view text, std::size_t from, std::size_t to,
                          std::size_t fingerprint, unsigned buckets) const;
  std::size_t find_bytewise(std::string_view text, std::size_t from, std::size_t to,
                            std::size_t at) const;
  std::size_t find_avx2(std::string_view text, std::size_t from, std::size_t to) const;

  std::vector<Needle> needles_;                      // by bucket
  std::array<std::size_t, kBuckets + 1> buckets_{};  // needles of b: [buckets_[b], buckets_[b + 1])
  std::array<ByteTable, kFingerprintBytes> bytes_{};
  std::array<HalfTables, kFingerprintBytes> halves_{};
};

}  // namespace knarr
