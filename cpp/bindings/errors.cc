// Error codes to the classes of knarr.errors. The classes are looked up when one is needed: this
// module does not import Python code of its own package while it is being imported.
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

void set_error(const Error& error) {
  const py::object type = py::module_::import("knarr.errors").attr(class_name(error.code()));
  // A message may quote bytes of a damaged file or a file name: print what is text.
  const std::string_view what = error.what();
  PyObject* message =
      PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace");
  PyErr_SetObject(type.ptr(), py::reinterpret_steal<py::object>(message).ptr());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature that pybind11 asks for
void translate(std::exception_ptr pointer) {
  if (pointer) raise_error(pointer);
}

}  // namespace

void raise_error(const std::exception_ptr& pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    set_error(error);
  }
}

void register_errors(py::module_&) { py::register_local_exception_translator(&translate); }

}  // namespace knarr::bindings
