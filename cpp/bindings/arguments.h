// Arguments of the calls that are made often, converted one by one.
//
// These calls take their arguments by place. pybind11's own way, which matches names and tries
// casts, takes longer than a search in a section. Values that do not fit throw Error
// kInvalidArgument that names the argument; all functions need the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "bindings/boundary.h"
#include "filter/filter.h"

namespace knarr::bindings {

// An integer that fits; its range is for the engine to check.
std::int64_t integer(PyObject* value, const char* name);

// One that is not negative.
std::int64_t count(PyObject* value, const char* name);

// One, or None for none.
std::optional<std::int64_t> bound(PyObject* value, const char* name);

bool truth(PyObject* value);
double real(PyObject* value, const char* name);

// A str that has a UTF-8 form. The view lives as long as the object.
std::string_view text(PyObject* value, const char* name);

// A URI as the engine takes it: components in Unicode NFC. ASCII without escapes, which nearly all
// are, is viewed where it lies; the rest goes through Python's unicodedata.
class Uri {
 public:
  explicit Uri(PyObject* value);
  operator std::string_view() const { return view_; }

 private:
  py::object owner_;  // of another spelling than the one given
  std::string_view view_;
};

// A sequence of URIs.
class Uris {
 public:
  explicit Uris(PyObject* values);
  operator std::span<const std::string_view>() const { return views_; }

 private:
  py::object owner_;
  std::vector<Uri> uris_;
  std::vector<std::string_view> views_;
};

// The rows that a call may see: `rows` is None, a pyroaring bitmap, its bytes, or a bool array, or
// one of these and the generation of its rows; `kinds` is None, a str, or an iterable of str.
class Seen {
 public:
  Seen(PyObject* rows, PyObject* kinds);
  operator const Filter&() const { return made_ ? *made_ : *shared_; }

 private:
  const Filter* shared_ = nullptr;  // one of a few that restrict no rows
  std::optional<Filter> made_;
};

Kinds kinds_of(PyObject* kinds);

}  // namespace knarr::bindings
