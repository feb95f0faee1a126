// knarr._core: the engine in Python. Users see knarr.engine, which checks and converts.
#include "base/error.h"
#include "bindings/boundary.h"

namespace knarr::bindings {
namespace {

const char* class_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "InvalidArgument";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kAlreadyExists:
      return "AlreadyExists";
    case ErrorCode::kCorruption:
      return "Corruption";
    case ErrorCode::kIo:
      return "StorageError";
    case ErrorCode::kUnsupported:
      return "Unsupported";
    case ErrorCode::kDevice:
      return "DeviceError";
  }
  return "EngineError";
}

// Sets Python's error. The class is looked up only now, because this module must not import Python
// code of its own package while it is being imported itself.
void set_error(const Error& error) {
  const py::object type = py::module_::import("knarr.errors").attr(class_name(error.code()));
  // A message may quote a file name or bytes of a damaged file: replace what is not text.
  const std::string_view what = error.what();
  PyObject* message =
      PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace");
  PyErr_SetObject(type.ptr(), py::reinterpret_steal<py::object>(message).ptr());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that pybind11 asks for
void translate(std::exception_ptr pointer) {
  if (!pointer) return;
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    set_error(error);
  }
}

}  // namespace
}  // namespace knarr::bindings

PYBIND11_MODULE(_core, module) {
  namespace bindings = knarr::bindings;
  module.doc() = "The native core of knarr. Use knarr.Engine.";
  pybind11::register_local_exception_translator(&bindings::translate);
  bindings::register_edges(module);
  bindings::register_hits(module);
  bindings::register_results(module);
  bindings::register_row_set(module);
  bindings::register_engine(module);
}
