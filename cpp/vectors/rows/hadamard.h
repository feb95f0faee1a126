// A Hadamard rotation, which vectors go through before their numbers are rounded.
//
// Embeddings have a few numbers that are many times as large as the others. The largest number sets
// the step in which a whole row is rounded, so a few outliers cost all other numbers their
// precision. A Hadamard matrix mixes sixteen numbers with signs, so that an outlier is shared by
// sixteen. The matrix is orthogonal: products of two vectors stay as they are when both are
// rotated. On real vectors the rotation halves what rounding loses.
//
// It is the fast transform of Ailon & Chazelle (The Fast Johnson-Lindenstrauss Transform, STOC
// 2006), in small blocks and without their random signs. It only adds, subtracts and multiplies by
// one factor, in a fixed order: the result is the same on every machine, to the bit.
#pragma once

#include <span>

namespace knarr {

// Rotates in place; requires a multiple of 32 numbers. The matrix is its own inverse: a second call
// gives the numbers back, up to rounding. Costs four additions a number.
void hadamard_rotate(std::span<float> numbers);

}  // namespace knarr
