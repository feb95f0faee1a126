// CRC-32C (Castagnoli): the checksum of our files.
//
// `crc32c` takes the processor's own instruction where there is one, else the plain variant; both
// give the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace knarr {

// The checksum of what `crc` is the checksum of (0: of nothing), followed by `bytes`.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

std::uint32_t crc32c_plain(std::span<const std::byte> bytes, std::uint32_t crc = 0);

// The checksum of some bytes followed by `second_bytes` others, from the checksums of both: so that
// parts can be checked side by side.
std::uint32_t crc32c_joined(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

// True when crc32c runs on the processor's instruction.
bool crc32c_is_hardware();

}  // namespace knarr
