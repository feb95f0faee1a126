// The plain variant, and the choice among variants.
#include "vectors/codes/gather.h"

#include <cstring>

namespace knarr {
namespace {

void gather(const std::byte* slots, const ChunkShape& shape, const std::uint16_t* rows,
            std::size_t n, std::byte* blocks, std::uint8_t* factors, std::uint8_t* offsets) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::byte* slot = slots + rows[i] * shape.slot_bytes;
    std::byte* block = blocks + i / kBlockCodes * shape.block_bytes + i % kBlockCodes;
    for (std::size_t at = 0; at < shape.code_bytes; ++at) block[at * kBlockCodes] = slot[at];
    factors[i] = std::to_integer<std::uint8_t>(slot[shape.code_bytes]);
    offsets[i] = std::to_integer<std::uint8_t>(slot[shape.code_bytes + 1]);
  }
}

}  // namespace

void write_slots(const ChunkView& chunk, std::byte* slots) {
  const ChunkShape& shape = *chunk.shape;
  std::memset(slots, 0, kChunkRows * shape.slot_bytes);
  for (std::size_t row = 0; row < kChunkRows; ++row, slots += shape.slot_bytes) {
    const std::byte* block = chunk.block(row / kBlockCodes) + row % kBlockCodes;
    for (std::size_t at = 0; at < shape.code_bytes; ++at) slots[at] = block[at * kBlockCodes];
    slots[shape.code_bytes] = std::byte{chunk.factors()[row]};
    slots[shape.code_bytes + 1] = std::byte{chunk.offsets()[row]};
  }
}

GatherRows gather_rows(CpuLevel level) {
  return level >= CpuLevel::kAvx2 ? kGatherAvx2 : kGatherPlain;
}

GatherRows gather_rows() {
  static const GatherRows best = gather_rows(cpu_level());
  return best;
}

const GatherRows kGatherPlain = gather;

}  // namespace knarr
