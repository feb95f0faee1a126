#include "bindings/arguments.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "base/error.h"

namespace knarr::bindings {
namespace {

std::string shown(const py::handle& value) { return py::cast<std::string>(py::repr(value)); }

[[noreturn]] void refuse(const char* name, const char* expected, const py::handle& value) {
  fail(ErrorCode::kInvalidArgument,
       std::string(name) + ": expected " + expected + ", got " + shown(value));
}

// Python's Unicode tables decide what NFC is, so that the engine and the catalog agree.
py::object normalised(const py::handle& uri) {
  return py::module_::import("knarr.uris").attr("nfc")(uri);
}

Kind kind_of(const py::handle& name) {
  if (PyUnicode_Check(name.ptr())) {
    if (PyUnicode_CompareWithASCIIString(name.ptr(), "chunk") == 0) return Kind::kChunk;
    if (PyUnicode_CompareWithASCIIString(name.ptr(), "abstract") == 0) return Kind::kAbstract;
  }
  refuse("kinds", "'chunk' or 'abstract'", name);
}

}  // namespace

std::int64_t integer(const py::handle& value, const char* name) {
  py::object index = py::reinterpret_borrow<py::object>(value);
  if (!PyLong_Check(index.ptr())) {
    if (!PyIndex_Check(index.ptr())) refuse(name, "an integer", value);
    index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!index) throw py::error_already_set();
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) {
    fail(ErrorCode::kInvalidArgument, std::string(name) + ": " + shown(index) + " is out of range");
  }
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return number;
}

std::int64_t count(const py::handle& value, const char* name) {
  const std::int64_t number = integer(value, name);
  if (number < 0) {
    fail(ErrorCode::kInvalidArgument,
         std::string(name) + " must not be negative, got " + std::to_string(number));
  }
  return number;
}

bool truth(const py::handle& value) {
  const int is_true = PyObject_IsTrue(value.ptr());
  if (is_true < 0) throw py::error_already_set();
  return is_true != 0;
}

double real(const py::handle& value, const char* name) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(name, "a number", value);
  }
  return number;
}

// The first lone surrogate of a str that has one, and its place among the characters, from 1.
static std::string lone_surrogate(const py::handle& value) {
  const Py_ssize_t size = PyUnicode_GetLength(value.ptr());
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Py_UCS4 c = PyUnicode_ReadChar(value.ptr(), i);
    if (c < 0xD800 || c > 0xDFFF) continue;
    char shown[64];
    std::snprintf(shown, sizeof shown, "U+%04X at character %lld", static_cast<unsigned>(c),
                  static_cast<long long>(i) + 1);
    return shown;
  }
  return "nowhere";
}

std::string_view text(const py::handle& value, const char* name) {
  if (!PyUnicode_Check(value.ptr())) refuse(name, "str", value);
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    const auto ascii = py::reinterpret_steal<py::object>(PyObject_ASCII(value.ptr()));
    fail(ErrorCode::kInvalidArgument, std::string(name) + " " + py::cast<std::string>(ascii) +
                                          ": a lone surrogate has no UTF-8 form (" +
                                          lone_surrogate(value) + "); remove it");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

Strings::Strings(const py::list& list) : owner_(list) {
  views_.reserve(owner_.size());
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    const std::string name = "item " + std::to_string(i);
    views_.push_back(
        text(py::handle(PyTuple_GET_ITEM(owner_.ptr(), static_cast<Py_ssize_t>(i))), name.c_str()));
  }
}

Uri::Uri(const py::handle& value) : view_(text(value, "URI")) {
  const bool is_plain =
      PyUnicode_IS_ASCII(value.ptr()) && std::memchr(view_.data(), '%', view_.size()) == nullptr;
  if (is_plain) return;
  owner_ = normalised(value);
  view_ = text(owner_, "URI");
}

// The tuple keeps the strings alive, whatever happens to the sequence meanwhile.
Uris::Uris(const py::handle& values)
    : owner_(py::reinterpret_steal<py::object>(PySequence_Tuple(values.ptr()))) {
  if (!owner_) throw py::error_already_set();
  const Py_ssize_t size = PyTuple_GET_SIZE(owner_.ptr());
  uris_.reserve(static_cast<std::size_t>(size));
  views_.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    uris_.emplace_back(py::handle(PyTuple_GET_ITEM(owner_.ptr(), i)));
    views_.push_back(uris_.back());
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

Kinds kinds_of(const py::handle& kinds) {
  if (kinds.is_none()) return kAllKinds;
  if (PyUnicode_Check(kinds.ptr())) return kind_bit(kind_of(kinds));
  Kinds bits = 0;
  for (const py::handle each : py::reinterpret_borrow<py::object>(kinds)) {
    bits = static_cast<Kinds>(bits | kind_bit(kind_of(each)));
  }
  return bits;
}

}  // namespace knarr::bindings
