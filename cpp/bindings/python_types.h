// Python forms of values of the engine: names of enumerations, and Hits with its columns.
#pragma once

#include <pybind11/typing.h>

#include <map>
#include <string>

#include "bindings/boundary.h"
#include "engine/results.h"

namespace knarr::bindings {

#ifdef PYBIND11_TYPING_H_HAS_STRING_LITERAL
using KindName = py::typing::Literal<"\"chunk\"", "\"abstract\"">;
using OutcomeName = py::typing::Literal<"\"matches\"", "\"no_matches\"", "\"incomplete\"">;
using PrecisionName = py::typing::Literal<"\"float32\"", "\"bfloat16\"", "\"int8\"">;
#else  // compilers without class types as template arguments: only the stubs say less
using KindName = py::str;
using OutcomeName = py::str;
using PrecisionName = py::str;
#endif

inline const char* kind_name(Kind kind) { return kind == Kind::kChunk ? "chunk" : "abstract"; }

inline const char* outcome_name(GrepOutcome outcome) {
  switch (outcome) {
    case GrepOutcome::kMatches:
      return "matches";
    case GrepOutcome::kNoMatches:
      return "no_matches";
    case GrepOutcome::kIncomplete:
      return "incomplete";
  }
  return "incomplete";
}

// A RowSet as Python has it: changed in place, under the GIL.
struct PyRows {
  RowSet rows;
  std::optional<std::uint64_t> generation;  // of the engine that numbers the rows; none: any
};

struct PyHits {
  Hits hits;
  bool is_explained = false;
  std::map<std::string, py::object> columns;  // made when first asked for, then kept
};

}  // namespace knarr::bindings
