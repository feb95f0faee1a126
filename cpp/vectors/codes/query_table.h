// What a query is to codes: for each letter of a code, and each of the sixteen that it may be, the
// product of what the letter stands for and the query's rotated numbers there, in small integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors/codes/codes.h"

namespace knarr {

// An entry is at most this, so that the eight of four bytes of code fit eight bits together. What
// rounding adds to the variance of an estimate is a hundredth of what is there, and is counted.
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
  // The standard deviation of that for the rounding of entries, as of independent ones.
  float rounding() const { return rounding_; }

 private:
  std::vector<std::uint8_t> entries_;
  float scale_ = 0;
  float shift_ = 0;
  float rounding_ = 0;
};

}  // namespace knarr
