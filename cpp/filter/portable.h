// Reading ranges straight out of the portable Roaring serialisation.
//
// CRoaring's iterator yields one value at a time. Its serialised form is a published format that
// holds runs as runs and dense parts as words, so walking the bytes finds maximal ranges at the
// cost of the ranges, not of the rows. The bytes must come from CRoaring itself (trusted).
#pragma once

#include <cstddef>
#include <span>

#include "engine/types.h"

namespace knarr {

// Calls visit(context, begin, end) for each maximal range, ascending, until it returns false.
void visit_portable_ranges(std::span<const char> bytes,
                           bool (*visit)(void* context, Row begin, Row end), void* context);

}  // namespace knarr
