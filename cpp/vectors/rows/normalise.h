// Vectors of length one, made the same way wherever a vector enters.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace knarr {

inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

// The Euclidean length of `vector`, summed in double. Throws Error kInvalidArgument, naming `what`
// and, unless it is kNoIndex, `index`, for a component that is NaN or infinite, and for a length
// under 1.2e-38 (zeros and denormals, which have no direction left).
double checked_length(std::span<const float> vector, std::string_view what, std::size_t index);

// out[i] = vector[i] / length, rounded once. `out` may be `vector`.
void scale_to_unit(std::span<const float> vector, double length, float* out);

}  // namespace knarr
