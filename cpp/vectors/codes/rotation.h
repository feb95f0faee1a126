// A fixed random rotation, applied in n log n steps: rounds of random sign flips and Hadamard
// transforms (Ailon and Chazelle, "The Fast Johnson-Lindenstrauss Transform", 2009).
//
// A rotation spreads whatever a vector holds over all of its dimensions, so what a code loses does
// not depend on the data: a vector with one large component is coded as well as any other. The
// rotation is part of the snapshot's format. It is the same on every machine, to the bit, since it
// only adds, subtracts and scales by powers of two and one constant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace knarr {

class Rotation {
 public:
  // Takes vectors of `dim` numbers, 1 or more, to size() numbers. `whole` is a multiple of 8.
  Rotation(std::size_t dim, std::size_t whole);

  // dim, rounded up to a multiple of `whole`.
  std::size_t size() const { return size_; }

  // out = the rotated vector, of the same length. `in` holds dim numbers, `out` size().
  void apply(std::span<const float> in, std::span<float> out) const;

 private:
  std::size_t size_;
  std::size_t span_;          // the largest power of two within size_
  float scale_;               // makes all rounds together keep lengths
  std::vector<float> flips_;  // a sign for each number, round after round
};

}  // namespace knarr
