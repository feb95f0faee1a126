// The one way through the boundary between Python and the engine.
//
// Arguments are taken with the GIL held and stay alive for the call; the engine works inside
// `without_gil`; results become Python objects afterwards. Errors of the engine become the classes
// of knarr.errors (module.cc).
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "engine/engine.h"

namespace knarr::bindings {

namespace py = pybind11;

template <class F>
auto without_gil(F&& work) {
  const py::gil_scoped_release release;
  return work();
}

// One function for each file that binds classes.
void register_edges(py::module_& module);
void register_hits(py::module_& module);
void register_results(py::module_& module);
void register_row_set(py::module_& module);
void register_engine(py::module_& module);
void define_reading(py::class_<Engine>& engine);

}  // namespace knarr::bindings
