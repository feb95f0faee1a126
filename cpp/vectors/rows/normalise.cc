// The square of a float is exact in double and a sum of them cannot overflow there, so one pass
// finds the length and, by a sum that is not finite, whether any component was NaN or infinite.
#include "vectors/rows/normalise.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"

namespace knarr {
namespace {

// Eight running sums, so that additions need not wait for each other; their order is fixed.
double sum_of_squares(std::span<const float> vector) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= vector.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double x = vector[i + lane];
      sums[lane] += x * x;
    }
  }
  for (; i < vector.size(); ++i) {
    const double x = vector[i];
    sums[i % kLanes] += x * x;
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

std::string place(std::string_view what, std::size_t index) {
  std::string name(what);
  if (index != kNoIndex) name.append(1, ' ').append(std::to_string(index));
  return name;
}

[[noreturn]] void refuse_component(std::span<const float> vector, std::string_view what,
                                   std::size_t index) {
  std::size_t i = 0;
  while (i + 1 < vector.size() && std::isfinite(vector[i])) ++i;
  const char* value = std::isnan(vector[i]) ? "NaN" : "infinite";
  fail(ErrorCode::kInvalidArgument, place(what, index) + ": component " + std::to_string(i) +
                                        " is " + value + ", expected finite numbers");
}

}  // namespace

double checked_length(std::span<const float> vector, std::string_view what, std::size_t index) {
  const double length = std::sqrt(sum_of_squares(vector));
  if (!std::isfinite(length)) refuse_component(vector, what, index);
  if (length < std::numeric_limits<float>::min()) {
    fail(ErrorCode::kInvalidArgument,
         place(what, index) + ": its length is zero or too small to have a direction");
  }
  return length;
}

void scale_to_unit(std::span<const float> vector, double length, float* out) {
  const double inverse = 1.0 / length;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    out[i] = static_cast<float>(vector[i] * inverse);
  }
}

}  // namespace knarr
