// Allowed runs: the stretches of text that a call may see.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "filter/rows.h"
#include "grep/text/text.h"

namespace knarr {

// A maximal sequence of adjacent allowed slices of one block, as bytes of its text.
struct TextRun {
  BlockId block;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;

  bool operator==(const TextRun&) const = default;
};

// The runs of all allowed rows that have text, by block, then byte. Empty runs are left out.
// Cost: linear in the allowed rows.
std::vector<TextRun> allowed_runs(const TextView& texts, const RowSet& allowed);

// Appends the runs of one block that meet any of these spans, which ascend. Looks at the slices
// near the spans only, so that a wide scope costs nothing where the index found nothing.
void add_runs(const Block& block, BlockId id, const RowSet& allowed,
              std::span<const PageSpan> spans, std::vector<TextRun>& runs);

}  // namespace knarr
