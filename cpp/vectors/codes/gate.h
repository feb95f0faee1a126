// A test in sixteen bits that a row passes whenever its upper bound reaches the floor: so bounds
// need be made only for the few blocks of which a row passes.
//
// With f = 2^8 · factors[r], o = 2^8 · offsets[r], one unit = 2^8 · scale and
// mulhi(a, b) = ⌊a · b / 2^16⌋, a bound
//
//     offset + offset_step · offsets[r] + factors[r] · (scale · A + shift)
//
// is at most offset + unit · (mulhi(f, max(0, A + c)) + mulhi(o, s) + 2), where c = ⌈shift / scale⌉
// and s = ⌈offset_step / scale⌉. So a row reaches the floor only when
//
//     mulhi(f, max(0, A + more - less)) + mulhi(o, offset_share) >= least
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "vectors/codes/estimate.h"

namespace knarr {

struct Gate {
  std::uint16_t more = 0;  // c, or
  std::uint16_t less = 0;  // -c
  std::uint16_t offset_share = 0;
  std::uint16_t least = 0;  // 0: every row passes

  Gate() = default;

  // All pass where the numbers do not fit, or a unit is so small that the rounding of floats
  // counts.
  Gate(const BoundTerms& terms, float floor) {
    constexpr float kMost = 65535;
    if (floor == std::numeric_limits<float>::infinity()) {  // which no row reaches
      less = least = 65535;
      return;
    }
    constexpr float kMostShift = 32767;  // and A is at most as much
    constexpr float kLeastUnit = 1e-5f;
    constexpr float kRounding = 3;  // two of mulhi, and what floats lose
    const float unit = 256 * terms.scale;
    const float shift = std::ceil(terms.shift / terms.scale);
    const float share = std::ceil(terms.offset_step / terms.scale);
    const float reach = std::floor((floor - terms.offset) / unit) - kRounding;
    const bool fits = unit >= kLeastUnit && std::abs(shift) <= kMostShift && share >= 0 &&
                      share <= kMost && reach > 0 && reach <= kMost;
    if (!fits) return;
    more = static_cast<std::uint16_t>(shift > 0 ? shift : 0);
    less = static_cast<std::uint16_t>(shift < 0 ? -shift : 0);
    offset_share = static_cast<std::uint16_t>(share);
    least = static_cast<std::uint16_t>(reach);
  }
};

}  // namespace knarr
