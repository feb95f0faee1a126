// A historical question: its text and its vector, in full and shortened.
//
// Expansion reads the short form of every edge's question and the full one of those few that may be
// like the query, so both lie together and apart from the text. Immutable; any thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "base/pool.h"
#include "edges/edges.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

// Summed in double, in eight sums that are added in one order: the same on every machine.
double product(std::span<const float> a, std::span<const float> b);

struct EdgeStore::Question {
  // `unit` is of unit length. With a pool, which may go before the question, the numbers lie there.
  Question(std::string_view words, std::span<const float> unit, Pool* pool = nullptr)
      : text(words), dim_(unit.size()), is_pooled_(pool != nullptr) {
    const QuantisedShape shape(dim_);
    const std::size_t bytes = dim_ * sizeof(float) + shape.size_bytes;
    numbers_ = static_cast<float*>(is_pooled_ ? pool->take(bytes) : ::operator new(bytes));
    std::memcpy(numbers_, unit.data(), unit.size_bytes());
    quantise(unit, shape, reinterpret_cast<std::byte*>(numbers_ + dim_));
  }
  ~Question() { is_pooled_ ? Pool::give_back(numbers_) : ::operator delete(numbers_); }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  std::span<const float> vector() const { return {numbers_, dim_}; }
  // The vector, then its short row (vectors/quantised_rows.h).
  const float* numbers() const { return numbers_; }
  static const std::byte* quantised_row(const float* numbers, std::size_t dim) {
    return reinterpret_cast<const std::byte*>(numbers + dim);
  }
  std::size_t size_bytes() const {
    return sizeof *this + text.capacity() + dim_ * sizeof(float) + QuantisedShape(dim_).size_bytes;
  }

  const std::string text;

 private:
  const std::size_t dim_;
  const bool is_pooled_;
  float* numbers_;
};

}  // namespace knarr
