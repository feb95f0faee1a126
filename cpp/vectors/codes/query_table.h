// The look-up tables of a query: for each position of a code, and each of the 16 words that may
// stand there, the product of the word and the query's rotated numbers there.
//
// s · Rq is then a sum of table entries, as in product quantisation. Entries are small integers, so
// that a table of sixteen fits one SIMD register and a byte shuffle looks up 32 rows at once: the
// fast scan of André, Kermarrec and Le Scouarnec ("Cache locality is not enough", VLDB 2015;
// "Quicker ADC", TPAMI 2021).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors/codes/codes.h"

namespace knarr {

// The largest entry: the eight entries of four code bytes add up within eight bits. Rounding to
// entries adds a hundredth to the variance of an estimate, and the error bound counts it.
inline constexpr unsigned kMostEntry = 31;

class QueryTable {
 public:
  // `query` holds coder.shape().dim floats.
  QueryTable(const Coder& coder, const float* query);

  // Sixteen entries for the low half of code byte i, then sixteen for its high half, at 32 · i.
  const std::uint8_t* entries() const { return entries_.data(); }

  // s · Rq is about scale · (the sum of a code's entries) + shift.
  float scale() const { return scale_; }
  float shift() const { return shift_; }
  // The standard deviation that rounded entries add to that, taken as independent.
  float rounding() const { return rounding_; }

 private:
  std::vector<std::uint8_t> entries_;
  float scale_ = 0;
  float shift_ = 0;
  float rounding_ = 0;
};

}  // namespace knarr
