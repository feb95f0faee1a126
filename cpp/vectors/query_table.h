// What a query is to codes: for each letter of a code, and each of the sixteen that it may be, the
// product of what the letter stands for and the query's rotated numbers there, in small integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vectors/codes.h"

namespace knarr {

// An entry is at most this, so that the two of a byte of code fit eight bits together.
inline constexpr unsigned kMostEntry = 127;

class QueryTable {
 public:
  // `query` holds coder.shape().dim floats.
  QueryTable(const Coder& coder, const float* query);

  // Sixteen entries for the low half of code byte i, then sixteen for its high half, at 32 · i.
  const std::uint8_t* entries() const { return entries_.data(); }

  // s · Rq is about scale · (the sum of a code's entries) + shift.
  float scale() const { return scale_; }
  float shift() const { return shift_; }

 private:
  std::vector<std::uint8_t> entries_;
  float scale_ = 0;
  float shift_ = 0;
};

}  // namespace knarr
