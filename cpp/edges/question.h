// A historical question: its text and its vector, in full and quantised.
//
// Expansion reads the quantised form of every edge's question and the full one of the few that may
// be like the query, so both lie together and apart from the text. Immutable; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "base/object_pool.h"
#include "edges/edges.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

// The inner product, in double. Eight partial sums are added in a fixed order, so that the result
// is the same on every machine.
inline double product(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += double{a[i + lane]} * b[i + lane];
    }
  }
  for (; i < a.size(); ++i) sums[i % kLanes] += double{a[i]} * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

struct EdgeStore::Question {
  // `unit` has unit length. With a pool the numbers are allocated there; the question may outlive
  // it.
  Question(std::string_view words, std::span<const float> unit, ObjectPool* pool = nullptr)
      : text(words), dim_(unit.size()), is_pooled_(pool != nullptr) {
    const QuantisedShape shape(dim_);
    const std::size_t bytes = dim_ * sizeof(float) + shape.size_bytes;
    numbers_ = static_cast<float*>(is_pooled_ ? pool->take(bytes) : ::operator new(bytes));
    std::memcpy(numbers_, unit.data(), unit.size_bytes());
    quantise(unit, shape, reinterpret_cast<std::byte*>(numbers_ + dim_));
  }
  ~Question() { is_pooled_ ? ObjectPool::give_back(numbers_) : ::operator delete(numbers_); }
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  std::span<const float> vector() const { return {numbers_, dim_}; }
  // The vector, then its quantised row (vectors/rows/quantised_rows.h).
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
