// The bytes of a snapshot that its reader and its writer share. FORMAT.md draws them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace knarr::snapshot_format {

inline constexpr char kMagic[8] = {'K', 'N', 'A', 'R', 'R', 'S', 'N', 'P'};
inline constexpr std::uint32_t kVersion = 3;
inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::size_t kAlignment = 64;  // of every section and of the table
inline constexpr std::size_t kEntryBytes = 64;
inline constexpr std::size_t kNameBytes = 40;  // of an entry's name, zero-padded
inline constexpr std::uint32_t kMaxSections = 4096;

// Offsets in the header.
inline constexpr std::size_t kVersionAt = 8;
inline constexpr std::size_t kSectionsAt = 12;
inline constexpr std::size_t kTableAt = 16;
inline constexpr std::size_t kFileBytesAt = 24;
inline constexpr std::size_t kTableCrcAt = 32;
inline constexpr std::size_t kHeaderCrcAt = 60;  // of the 60 bytes before it

// Offsets in an entry of the table.
inline constexpr std::size_t kEntryOffsetAt = 40;
inline constexpr std::size_t kEntrySizeAt = 48;
inline constexpr std::size_t kEntryCrcAt = 56;  // then four zero bytes

}  // namespace knarr::snapshot_format
