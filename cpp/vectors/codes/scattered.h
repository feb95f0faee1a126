// Codes of rows here and there.
//
// In a chunk (codes.h) byte i of 32 rows lies together: whoever wants one of the rows reads all of
// them. So each row's code is kept a second time in one piece, in a slot, and the slots of the rows
// that are wanted are brought together into blocks, for the same kernels, with the same results.
//
// A slot:
//
//     code      code_bytes bytes
//     factor    u8, the row's number in the chunk's `factors`
//     offset    u8, and in its `offsets`
//     zeros     up to size_bytes, so that a slot lies in as few lines of 64 bytes as can be
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "vectors/codes/codes.h"

namespace knarr {

// What a block of rows from here and there costs, in blocks that are read as they are.
inline constexpr std::size_t kGatherCost = 2;

// Writes the slots of a chunk's rows, kChunkRows times chunk.shape->slot_bytes.
void write_slots(const ChunkView& chunk, std::byte* slots);

// For n rows of a chunk, by their numbers in it: n is a multiple of kBlockCodes. Writes their
// blocks, factors and offsets as a chunk has them.
using GatherRows = void (*)(const std::byte* slots, const ChunkShape& shape,
                            const std::uint16_t* rows, std::size_t n, std::byte* blocks,
                            std::uint8_t* factors, std::uint8_t* offsets);

// The variant for a level, or null when this build has none.
GatherRows gather_rows(CpuLevel level);
// The best variant for this machine.
GatherRows gather_rows();

// The variants; null where the compiler's target has no such instructions.
extern const GatherRows kGatherPlain;
extern const GatherRows kGatherAvx2;

}  // namespace knarr
