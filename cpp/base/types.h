// Words that all folders share.
//
// A Row numbers an object: its vector, its slice of text and its record are found by it. The rows
// of one document are contiguous and in document order. Rows are never used twice between two
// compactions (see Engine::compact). A NodeId names a node of the namespace for as long as it
// lives, whatever its path becomes.
#pragma once

#include <cstdint>

namespace knarr {

using Row = std::uint32_t;
using NodeId = std::uint32_t;

inline constexpr Row kNoRow = 0xFFFF'FFFFu;
inline constexpr NodeId kNoNode = 0xFFFF'FFFFu;

enum class Kind : std::uint8_t { kChunk = 0, kAbstract = 1 };

struct ScoredRow {
  Row row;
  float score;  // cosine, in [-1, 1] up to rounding

  bool operator==(const ScoredRow&) const = default;
};

}  // namespace knarr
