// The plan of one call: which stretches of text to search, all of them or those that the index
// leaves.
//
// This is where patterns, texts and the index meet: a pattern knows its clauses, the index knows
// the pages that may contain them, and the plan extends these to stretches that contain whole
// matches.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/rows.h"
#include "grep/grep.h"
#include "grep/pattern/pattern.h"
#include "grep/text/allowed_runs.h"
#include "grep/text/text.h"

namespace knarr {

// Bytes of a block's match text. A match that begins in a stretch also ends in it.
struct Stretch {
  std::size_t begin;
  std::size_t end;
};

// A part of a run, bytes [begin_byte, end_byte) of the text, and the stretches of it that are to be
// searched: no match lies outside of them. The parts of a run follow one another.
struct RunSearch {
  TextRun run;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;
  std::size_t first_stretch;
  std::size_t end_stretch;
};

struct GrepPlan {
  std::vector<RunSearch> searches;  // in order of block and byte
  std::vector<Stretch> stretches;
  bool is_indexed = false;
};

GrepPlan make_plan(const TextView& texts, const RowSet& allowed, const Pattern& pattern,
                   IndexUse use);

}  // namespace knarr
