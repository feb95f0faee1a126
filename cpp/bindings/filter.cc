#include "filter/filter.h"

#include "base/error.h"
#include "bindings/boundary.h"

namespace knarr::bindings {
namespace {

std::span<const std::byte> bytes_of(const py::bytes& bytes) {
  const std::string_view view(bytes);
  return std::as_bytes(std::span(view));
}

std::span<const std::uint8_t> mask_of(const py::array& mask) {
  const bool is_contiguous = (mask.flags() & py::array::c_style) != 0;
  if (!mask.dtype().equal(py::dtype::of<bool>()) || mask.ndim() != 1 || !is_contiguous) {
    fail(ErrorCode::kInvalidArgument,
         "filter: expected a contiguous bool array with one entry for each row, got " +
             std::string(py::str(mask.dtype())) + " with " + std::to_string(mask.ndim()) + " axes");
  }
  return {static_cast<const std::uint8_t*>(mask.data()), static_cast<std::size_t>(mask.size())};
}

}  // namespace

void register_filter(py::module_& module) {
  py::class_<Filter>(module, "Filter", "The rows that a call may see, beside its scope.")
      .def(py::init([](Kinds kinds, const std::optional<py::bytes>& portable,
                       const std::optional<py::array>& mask) {
             Filter filter{kinds, {}};
             if (portable) {
               const auto bytes = bytes_of(*portable);
               filter.rows = without_gil([&] { return RowSet::from_portable(bytes); });
             } else if (mask) {
               const auto entries = mask_of(*mask);
               filter.rows = without_gil([&] { return RowSet::from_mask(entries); });
             }
             return filter;
           }),
           py::arg("kinds") = kAllKinds, py::kw_only(), py::arg("portable") = py::none(),
           py::arg("mask") = py::none(),
           "kinds: bit 1 for chunks, bit 2 for abstracts. Rows: a portable Roaring serialisation, "
           "or a bool for each row.");
}

}  // namespace knarr::bindings
