#include "bindings/boundary.h"

#include <cstdint>

#include "base/error.h"

namespace knarr::bindings {

Strings::Strings(const py::list& list) : owner_(list) {
  views_.reserve(owner_.size());
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    PyObject* item = PyTuple_GET_ITEM(owner_.ptr(), static_cast<Py_ssize_t>(i));
    if (!PyUnicode_Check(item)) {
      fail(ErrorCode::kInvalidArgument,
           "item " + std::to_string(i) + ": expected str, got " + Py_TYPE(item)->tp_name);
    }
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(item, &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      fail(ErrorCode::kInvalidArgument,
           "item " + std::to_string(i) + ": a lone surrogate cannot be stored as UTF-8");
    }
    views_.emplace_back(bytes, static_cast<std::size_t>(size));
  }
}

std::span<const float> floats(const py::handle& value, int axes, std::string_view name) {
  if (!py::isinstance<py::array>(value)) {
    fail(ErrorCode::kInvalidArgument,
         std::string(name) + ": expected a float32 array, got " + Py_TYPE(value.ptr())->tp_name +
             "; numpy.ascontiguousarray(x, dtype=numpy.float32) converts");
  }
  const auto array = py::reinterpret_borrow<py::array>(value);
  const bool is_float32 =
      array.dtype().is(py::dtype::of<float>()) || array.dtype().equal(py::dtype::of<float>());
  const bool is_contiguous = (array.flags() & py::array::c_style) != 0 &&
                             reinterpret_cast<std::uintptr_t>(array.data()) % alignof(float) == 0;
  if (!is_float32 || !is_contiguous || array.ndim() != axes) {
    fail(ErrorCode::kInvalidArgument,
         std::string(name) + ": expected a C-contiguous float32 array with " +
             std::to_string(axes) + (axes == 1 ? " axis" : " axes") + ", got " +
             std::string(py::str(array.dtype())) + " with " + std::to_string(array.ndim()) +
             (is_contiguous ? "" : ", not contiguous or not aligned") +
             "; numpy.ascontiguousarray(x, dtype=numpy.float32) converts");
  }
  return {static_cast<const float*>(array.data()), static_cast<std::size_t>(array.size())};
}

}  // namespace knarr::bindings
