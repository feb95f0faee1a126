// Memory for many rows, that never moves.
#pragma once

#include <cstddef>
#include <memory>

namespace knarr {

// At least `bytes` fresh bytes, at a multiple of 64. Pages are taken as they are written. A large
// store asks for huge pages, which are scanned faster; a small one stays small with `huge` false.
std::shared_ptr<std::byte> new_segment(std::size_t bytes, bool huge);

}  // namespace knarr
