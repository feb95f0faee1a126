// The former names of quantised_rows.h, for cpp/vectors/graph until it follows.
#pragma once

#include <span>

#include "vectors/rows/hadamard.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

using QuantisedShape = QuantisedShape;
using QuantisedSide = QueryBytes;
using QuantisedQuery = QuantisedQuery;
using QuantisedCosines = QuantisedCosines;

inline QuantisedCosines quantised_cosines() { return quantised_cosines(); }
inline void spread_apart(std::span<float> numbers) { hadamard_rotate(numbers); }

}  // namespace knarr
