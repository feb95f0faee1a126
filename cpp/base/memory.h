// Segments: large pieces of memory for rows, which never move.
#pragma once

#include <cstddef>
#include <memory>

namespace knarr {

// At least `bytes` bytes of new memory, at a multiple of 64. The system provides pages when they
// are first written. `huge` asks for huge pages: a large store is scanned faster in them, and a
// small one would waste memory.
std::shared_ptr<std::byte> new_segment(std::size_t bytes, bool huge);

}  // namespace knarr
