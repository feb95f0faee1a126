// Runs: the stretches of text that a call may see.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "filter/rows.h"
#include "grep/text/text.h"

namespace knarr {

// A maximal sequence of adjacent allowed slices of one block, as bytes of its text.
struct Run {
  BlockId block;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;

  bool operator==(const Run&) const = default;
};

// The runs of the allowed rows that have text, by block, then byte. Runs without a byte are left
// out.
std::vector<Run> allowed_runs(const TextView& texts, const RowSet& allowed);

// Appends the runs of one block that meet any of these spans, which ascend.
void add_runs(const Block& block, BlockId id, const RowSet& allowed,
              std::span<const PageSpan> spans, std::vector<Run>& runs);

}  // namespace knarr
