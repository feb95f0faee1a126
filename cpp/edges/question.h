// A historical question: its text and its vector, in full and shortened.
//
// Expansion reads the short form of every edge's question and the full one of those few that may be
// like the query, so both lie together and apart from the text. Immutable; any thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edges/edges.h"
#include "vectors/short_rows.h"

namespace knarr {

// Summed in double, in eight sums that are added in one order: the same on every machine.
double product(std::span<const float> a, std::span<const float> b);

struct EdgeStore::Question {
  // `unit` is of unit length.
  Question(std::string_view words, std::span<const float> unit) : text(words), dim_(unit.size()) {
    const ShortShape shape(dim_);
    numbers_.resize(dim_ + shape.size_bytes / sizeof(float));
    std::memcpy(numbers_.data(), unit.data(), unit.size_bytes());
    shorten(unit, shape, reinterpret_cast<std::byte*>(numbers_.data() + dim_));
  }

  std::span<const float> vector() const { return {numbers_.data(), dim_}; }
  // The vector, then its short row (vectors/short_rows.h).
  const float* numbers() const { return numbers_.data(); }
  static const std::byte* short_row(const float* numbers, std::size_t dim) {
    return reinterpret_cast<const std::byte*>(numbers + dim);
  }
  std::size_t size_bytes() const {
    return sizeof *this + text.capacity() + numbers_.capacity() * sizeof(float);
  }

  const std::string text;

 private:
  const std::size_t dim_;
  std::vector<float> numbers_;
};

}  // namespace knarr
