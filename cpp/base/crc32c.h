// CRC-32C (Castagnoli): the checksum of our files.
//
// `crc32c` uses the processor's CRC instruction where there is one, else the plain variant, which
// gives the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace knarr {

// Continues a checksum: `crc` is that of the bytes before, 0 when there are none.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc = 0);

std::uint32_t crc32c_plain(std::span<const std::byte> bytes, std::uint32_t crc = 0);

// The checksum of a concatenation, from the checksums of its two parts; the second has
// `second_bytes` bytes. So threads can check the parts of a section at the same time.
std::uint32_t crc32c_joined(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

// True when crc32c runs on the processor's instruction.
bool crc32c_is_hardware();

}  // namespace knarr
