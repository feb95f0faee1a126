// Python arguments, converted and checked.
//
// A value that does not fit throws Error kInvalidArgument, which names the argument, the value and
// what was expected. All functions need the GIL, and views are valid as long as the Python object
// that they view.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bindings/boundary.h"
#include "filter/filter.h"

namespace knarr::bindings {

// A 64-bit integer. Its range is checked by the engine.
std::int64_t integer(const py::handle& value, const char* name);

// An integer that is not negative.
std::int64_t count(const py::handle& value, const char* name);

// The truth value of any object.
bool truth(const py::handle& value);

double real(const py::handle& value, const char* name);

// The UTF-8 form of a str, without a copy.
std::string_view text(const py::handle& value, const char* name);

// The texts of a list. Keeps its own references, because the list may change meanwhile.
class Strings {
 public:
  Strings() = default;
  explicit Strings(const py::list& list);
  static Strings of(const std::optional<py::list>& list) {
    return list ? Strings(*list) : Strings();
  }

  operator std::span<const std::string_view>() const { return views_; }

 private:
  py::tuple owner_;
  std::vector<std::string_view> views_;
};

// A URI as the engine takes it: components in Unicode NFC. Nearly all URIs are ASCII without
// escapes and are viewed in place; the others go through Python's unicodedata.
class Uri {
 public:
  explicit Uri(const py::handle& value);
  operator std::string_view() const { return view_; }

 private:
  py::object owner_;  // the normalised str, when it is not the one given
  std::string_view view_;
};

// An iterable of URIs.
class Uris {
 public:
  explicit Uris(const py::handle& values);
  operator std::span<const std::string_view>() const { return views_; }

 private:
  py::object owner_;
  std::vector<Uri> uris_;
  std::vector<std::string_view> views_;
};

// The numbers of a C-contiguous float32 array with this many axes. The error for anything else says
// how to convert it.
std::span<const float> floats(const py::handle& array, int axes, std::string_view name);

// `kinds`: None for all, a str, or an iterable of str.
Kinds kinds_of(const py::handle& kinds);

// The numbers in a pyroaring bitmap, its portable serialisation or a bool array. Errors begin with
// `name`.
RowSet rows_of(const py::handle& rows, std::string_view name);

// The engine's Filter for a call's `filter` and `kinds`. `filter` is None, a RowSet, what rows_of()
// takes, or a pair of that and the generation of its rows.
class RowFilter {
 public:
  RowFilter(const py::handle& filter, const py::handle& kinds);
  operator const Filter&() const { return own_ ? *own_ : *shared_; }

 private:
  const Filter* shared_ = nullptr;  // a constant, when no rows are restricted
  std::optional<Filter> own_;
};

// Whose edges a call may follow: None for all, a RowSet without a generation, or what rows_of()
// takes.
class Audiences {
 public:
  explicit Audiences(const py::handle& audiences);
  operator const RowSet*() const { return numbers_ ? &*numbers_ : nullptr; }

 private:
  std::optional<RowSet> numbers_;
};

}  // namespace knarr::bindings
