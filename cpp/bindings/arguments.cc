#include "bindings/arguments.h"

#include <array>
#include <cstring>
#include <string>

#include "base/error.h"

namespace knarr::bindings {
namespace {

std::string repr(PyObject* value) { return py::cast<std::string>(py::repr(value)); }

// Other spellings are brought to one by Python, whose Unicode tables are the ones that count.
py::object respelled(PyObject* uri) {
  return py::module_::import("knarr.uris").attr("nfc")(py::handle(uri));
}

Kinds kind_of(PyObject* name) {
  if (PyUnicode_Check(name)) {
    if (PyUnicode_CompareWithASCIIString(name, "chunk") == 0) return kind_bit(Kind::kChunk);
    if (PyUnicode_CompareWithASCIIString(name, "abstract") == 0) return kind_bit(Kind::kAbstract);
  }
  fail(ErrorCode::kInvalidArgument, "kinds: expected 'chunk' or 'abstract', got " + repr(name));
}

}  // namespace

std::int64_t integer(PyObject* value, const char* name) {
  py::object index;
  if (!PyLong_Check(value)) {
    if (!PyIndex_Check(value)) {
      fail(ErrorCode::kInvalidArgument,
           std::string(name) + ": expected an integer, got " + repr(value));
    }
    index = py::reinterpret_steal<py::object>(PyNumber_Index(value));
    if (!index) throw py::error_already_set();
    value = index.ptr();
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) {
    fail(ErrorCode::kInvalidArgument, std::string(name) + ": " + repr(value) + " is out of range");
  }
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return number;
}

std::int64_t count(PyObject* value, const char* name) {
  const std::int64_t number = integer(value, name);
  if (number < 0) {
    fail(ErrorCode::kInvalidArgument,
         std::string(name) + " must not be negative, got " + std::to_string(number));
  }
  return number;
}

std::optional<std::int64_t> bound(PyObject* value, const char* name) {
  if (value == Py_None) return std::nullopt;
  return integer(value, name);
}

bool truth(PyObject* value) {
  if (value == Py_False) return false;
  if (value == Py_True) return true;
  const int is_true = PyObject_IsTrue(value);
  if (is_true < 0) throw py::error_already_set();
  return is_true != 0;
}

double real(PyObject* value, const char* name) {
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    fail(ErrorCode::kInvalidArgument,
         std::string(name) + ": expected a number, got " + repr(value));
  }
  return number;
}

std::string_view text(PyObject* value, const char* name) {
  if (!PyUnicode_Check(value)) {
    fail(ErrorCode::kInvalidArgument, std::string(name) + ": expected str, got " + repr(value));
  }
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    const auto shown = py::reinterpret_steal<py::object>(PyObject_ASCII(value));
    fail(ErrorCode::kInvalidArgument, std::string(name) + " " + py::cast<std::string>(shown) +
                                          ": a lone surrogate has no UTF-8 form");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

Uri::Uri(PyObject* value) : view_(text(value, "URI")) {
  const bool is_plain =
      PyUnicode_IS_ASCII(value) && std::memchr(view_.data(), '%', view_.size()) == nullptr;
  if (is_plain) return;
  owner_ = respelled(value);
  view_ = text(owner_.ptr(), "URI");
}

// The tuple keeps the strings alive, whatever happens to the sequence meanwhile.
Uris::Uris(PyObject* values) : owner_(py::reinterpret_steal<py::object>(PySequence_Tuple(values))) {
  if (!owner_) throw py::error_already_set();
  const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(owner_.ptr()));
  uris_.reserve(size);
  views_.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    uris_.emplace_back(PyTuple_GET_ITEM(owner_.ptr(), static_cast<Py_ssize_t>(i)));
    views_.push_back(uris_.back());
  }
}

Kinds kinds_of(PyObject* kinds) {
  if (kinds == Py_None) return kAllKinds;
  if (PyUnicode_Check(kinds)) return kind_of(kinds);
  Kinds bits = 0;
  for (const py::handle each : py::reinterpret_borrow<py::object>(kinds)) {
    bits = static_cast<Kinds>(bits | kind_of(each.ptr()));
  }
  return bits;
}

Seen::Seen(PyObject* rows, PyObject* kinds) {
  static const std::array<Filter, kAllKinds + 1> all{Filter{0, {}}, Filter{1, {}}, Filter{2, {}},
                                                     Filter{3, {}}};
  const Kinds bits = kinds_of(kinds);
  if (rows == Py_None) {
    shared_ = &all[bits];
  } else {
    if (!PyTuple_Check(rows)) {
      made_ = Filter{bits, allowed_rows(rows)};
      return;
    }
    if (PyTuple_GET_SIZE(rows) != 2) {
      fail(ErrorCode::kInvalidArgument, "filter: expected (rows, generation), got a tuple of " +
                                            std::to_string(PyTuple_GET_SIZE(rows)));
    }
    made_ = Filter{bits, allowed_rows(PyTuple_GET_ITEM(rows, 0)),
                   static_cast<std::uint64_t>(count(PyTuple_GET_ITEM(rows, 1), "generation"))};
  }
}

}  // namespace knarr::bindings
