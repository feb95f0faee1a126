// Gather: the codes of single rows of a chunk, brought together into blocks.
//
// In a chunk (codes.h) byte i of 32 rows lies together, so reading one row would mean reading all
// of them. Each row's code is therefore kept a second time in one piece, in a slot. For sparse
// scopes the slots of the allowed rows are gathered into blocks, and the same kernels read them
// with the same results.
//
// A slot:
//
//     code      code_bytes bytes
//     factor    u8, from the chunk's `factors`
//     offset    u8, from the chunk's `offsets`
//     zeros     up to slot_bytes, so that a slot lies in as few lines of 64 bytes as can be
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "vectors/codes/codes.h"

namespace knarr {

// A gathered block costs as much as this many blocks that are read as they are.
inline constexpr std::size_t kGatherCost = 2;

// Writes the slots of a chunk's rows, kChunkRows times chunk.shape->slot_bytes.
void write_slots(const ChunkView& chunk, std::byte* slots);

// Writes the blocks, factors and offsets of n rows, as a chunk has them. `rows` are their numbers
// in the chunk; n is a multiple of kBlockCodes.
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
