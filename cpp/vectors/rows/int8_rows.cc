#include "vectors/rows/int8_rows.h"

#include <algorithm>
#include <cmath>

#include "vectors/rows/whole_numbers.h"

namespace knarr {
namespace {

constexpr double kMostNumber = 127;
constexpr double kMostProduct = 2147483647.0;

}  // namespace

Int8Query::Int8Query(std::span<const float> query, const Int8Shape& shape)
    : numbers_(shape.numbers) {
  const double most = std::floor(
      std::min(32766.0, kMostProduct / (kMostNumber * static_cast<double>(shape.numbers))));
  step_ = largest(query) / static_cast<float>(most);
  round_to(query, step_, 0, numbers_.get());
}

Int8Products int8_products(CpuLevel level) {
  if (level >= CpuLevel::kAvx512 && has_vnni()) return kInt8Vnni;
  if (level >= CpuLevel::kAvx2) return kInt8Avx2;
  return kInt8Neon != nullptr ? kInt8Neon : kInt8Plain;
}

}  // namespace knarr
