// Methods that Python calls directly: by place, without pybind11 in between.
//
// A call into a section takes a few microseconds; matching arguments against signatures, trying
// casts and keeping books of them took as long as all the rest. The signature stands as text, as
// pybind11 writes it, for people and for the stubs.
#pragma once

#include <Python.h>

#include <cstddef>
#include <exception>

#include "bindings/boundary.h"

namespace knarr::bindings {

using Items = PyObject* const*;

// Turns the exception that is being handled into Python's.
void raise(const std::exception_ptr& error) noexcept;

// `self` is an instance of a class that pybind11 made for T: Python has checked that.
template <class T>
T& object_of(PyObject* self) {
  auto* object =
      reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().value_ptr<T>();
  if (object == nullptr) throw py::type_error("this object was not initialised");
  return *object;
}

// f(self, arguments) for exactly N arguments; it returns a Python object.
template <class T, auto F, std::size_t N>
PyObject* direct(PyObject* self, Items arguments, Py_ssize_t count) {
  if (count != static_cast<Py_ssize_t>(N)) {
    PyErr_Format(PyExc_TypeError, "expected %zu arguments, got %zd", N, count);
    return nullptr;
  }
  try {
    py::object result = F(object_of<T>(self), arguments);
    return result.release().ptr();
  } catch (...) {
    raise(std::current_exception());
  }
  return nullptr;
}

// The definition of a method; must be static. `signature` begins with the method's name.
template <class T, auto F, std::size_t N>
PyMethodDef direct_method(const char* name, const char* signature) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&direct<T, F, N>)),
          METH_FASTCALL, signature};
}

void add_method(const py::object& type, PyMethodDef& method);

}  // namespace knarr::bindings
