// The one way through the boundary between Python and the engine.
//
// Arguments are taken with the GIL held and stay alive for the call; work runs in `without_gil`;
// results are turned into Python objects afterwards. Errors of the engine become the classes of
// knarr.errors (see errors.cc).
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "filter/rows.h"

namespace knarr::bindings {

namespace py = pybind11;

template <class F>
auto without_gil(F&& work) {
  const py::gil_scoped_release release;
  return work();
}

// Python strings as UTF-8 views, without a copy where Python has that form already. Keeps its own
// references: the list may change meanwhile.
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

// The numbers of a C-contiguous float32 array with this many axes. Anything else throws Error
// kInvalidArgument that says how to convert it. The array must outlive the span.
std::span<const float> floats(const py::handle& array, int axes, std::string_view name);

// The rows of a filter: a pyroaring bitmap, its portable serialisation, or a bool array.
RowSet allowed_rows(const py::handle& rows);

// Sets Python's error to what the Error in `pointer` means; rethrows anything else.
void raise_error(const std::exception_ptr& pointer);

void register_errors(py::module_& module);
void register_edges(py::module_& module);
void register_hits(py::module_& module);
void register_results(py::module_& module);
void register_engine(py::module_& module);
void define_reading(const py::object& engine);  // the class

}  // namespace knarr::bindings
