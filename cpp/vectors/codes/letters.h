// The letters that codes are written in: four bits for each few numbers of a rotated vector.
//
// kSigns: a letter for each four numbers; bit i says whether number i is up, that is not below
// zero. kPeaks: a letter for each eight; bits 0 to 2 say which of them is farthest from zero, bit 3
// whether that one is down.
//
// A letter stands for a short vector: ones up and down, or a one at the peak and zeros. Of numbers
// that are normally distributed the letters keep, by what all of them together say of the direction
// of a vector, x² = 0.64 (signs) and 0.40 (peaks) of its square; that many signs of half of the
// numbers would keep 0.32, and no sixteen short vectors for eight numbers that were looked for keep
// more than peaks do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace knarr {

enum class Letters : std::uint8_t { kSigns, kPeaks };

// From so many dimensions on peaks tell rows apart well enough, in half of the bytes.
inline constexpr std::size_t kLeastPeakDim = 384;

constexpr Letters letters_for(std::size_t dim) {
  return dim < kLeastPeakDim ? Letters::kSigns : Letters::kPeaks;
}

// How many numbers share a letter.
constexpr std::size_t letter_numbers(Letters letters) { return letters == Letters::kSigns ? 4 : 8; }

// How many numbers share a byte, which holds two letters, the first in its low half.
constexpr std::size_t byte_numbers(Letters letters) { return 2 * letter_numbers(letters); }

}  // namespace knarr
