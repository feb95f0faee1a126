// Rows that a caller may see, as Python gives them.
#include <string>

#include "base/error.h"
#include "bindings/boundary.h"
#include "filter/rows.h"

namespace knarr::bindings {
namespace {

RowSet from_bytes(const py::bytes& bytes) {
  const std::string_view view(bytes);
  return without_gil([&] { return RowSet::from_portable(std::as_bytes(std::span(view))); });
}

RowSet from_mask(const py::array& mask) {
  const bool is_contiguous = (mask.flags() & py::array::c_style) != 0;
  if (!mask.dtype().equal(py::dtype::of<bool>()) || mask.ndim() != 1 || !is_contiguous) {
    fail(ErrorCode::kInvalidArgument,
         "filter: expected a contiguous bool array with one entry for each row, got " +
             std::string(py::str(mask.dtype())) + " with " + std::to_string(mask.ndim()) + " axes");
  }
  const std::span entries(static_cast<const std::uint8_t*>(mask.data()),
                          static_cast<std::size_t>(mask.size()));
  return without_gil([&] { return RowSet::from_mask(entries); });
}

}  // namespace

RowSet allowed_rows(const py::handle& rows) {
  if (py::isinstance<py::bytes>(rows)) return from_bytes(py::reinterpret_borrow<py::bytes>(rows));
  if (py::isinstance<py::array>(rows)) return from_mask(py::reinterpret_borrow<py::array>(rows));
  if (py::hasattr(rows, "serialize")) return from_bytes(py::bytes(rows.attr("serialize")()));
  fail(ErrorCode::kInvalidArgument,
       std::string("filter: expected a pyroaring.BitMap, its bytes or a bool array, got ") +
           Py_TYPE(rows.ptr())->tp_name);
}

}  // namespace knarr::bindings
