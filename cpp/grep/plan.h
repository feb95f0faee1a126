// The plan of one call: which pieces of text to search, all of them or what the index leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/rows.h"
#include "grep/pattern/pattern.h"
#include "grep/text/runs.h"
#include "grep/text/text.h"

namespace knarr {

// Whether the index is asked. kAuto: when the scope is wide enough for it to pay. Answers are the
// same.
enum class IndexUse { kAuto, kNever, kAlways };

// Bytes of a block's match text that each match which begins in them lies in.
struct Stretch {
  std::size_t begin;
  std::size_t end;
};

// A part of a run, bytes [begin_byte, end_byte), and the stretches of it to be searched: no match
// is outside of them. The parts of a run follow one another.
struct Search {
  Run run;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;
  std::size_t first_stretch;
  std::size_t end_stretch;
};

struct GrepPlan {
  std::vector<Search> searches;  // in order of block and byte
  std::vector<Stretch> stretches;
  bool is_indexed = false;
};

GrepPlan make_plan(const TextView& texts, const RowSet& allowed, const Pattern& pattern,
                   IndexUse use);

}  // namespace knarr
