// Ranges out of, and masks into, the portable Roaring serialisation.
//
// CRoaring's interface takes and yields one value at a time. Its serialised form is a published
// format (RoaringFormatSpec) that stores runs as runs and dense parts as words. Walking its bytes
// finds maximal ranges at the cost of the ranges rather than the rows, and writing them turns a
// mask into a bitmap sixty-four rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/types.h"

namespace knarr {

// The serialised set of the i with mask[i] != 0. At most 4294967295 entries.
std::string portable_of_mask(std::span<const std::uint8_t> mask);

// `bytes` come from CRoaring itself: they are not checked. Calls visit(context, begin, end) for
// each maximal range, ascending, until it returns false.
void visit_portable_ranges(std::span<const char> bytes,
                           bool (*visit)(void* context, Row begin, Row end), void* context);

}  // namespace knarr
