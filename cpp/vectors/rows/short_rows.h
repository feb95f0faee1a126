// The former names of quantised_rows.h, for cpp/vectors/graph until it follows.
#pragma once

#include <span>

#include "vectors/rows/hadamard.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

using ShortShape = QuantisedShape;
using ShortSide = QueryBytes;
using ShortQuery = QuantisedQuery;
using ShortCosines = QuantisedCosines;

inline ShortCosines short_cosines() { return quantised_cosines(); }
inline void spread_apart(std::span<float> numbers) { hadamard_rotate(numbers); }

}  // namespace knarr
