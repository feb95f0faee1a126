// Spreads each sixteen numbers of a vector over each other, before they are rounded to int8.
//
// Embeddings have a few numbers that are many times as large as the others, and the largest decides
// the step of a row: spread, real ones lose half as many of the ten best. The spread is a Hadamard
// transform of each sixteen, an orthogonal matrix that is its own inverse, so products stay as they
// are when the row and the query are both spread. It only adds, subtracts and divides by four: the
// same on every machine, to the bit.
#pragma once

#include <cstddef>
#include <span>

namespace knarr {

inline constexpr std::size_t kSpread = 16;

// In place; a multiple of kSpread numbers. Twice gives back what was, up to rounding.
void spread(std::span<float> numbers);

}  // namespace knarr
