#include "bindings/direct.h"

#include <new>

namespace knarr::bindings {

void raise(const std::exception_ptr& error) noexcept {
  try {
    raise_error(error);
  } catch (py::error_already_set& python) {
    python.restore();
  } catch (const py::builtin_exception& named) {
    named.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& other) {
    PyErr_SetString(PyExc_RuntimeError, other.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an unknown exception");
  }
}

void add_method(const py::object& type, PyMethodDef& method) {
  PyObject* made = PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method);
  if (made == nullptr) throw py::error_already_set();
  type.attr(method.ml_name) = py::reinterpret_steal<py::object>(made);
}

}  // namespace knarr::bindings
