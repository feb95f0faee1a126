// RowSet in Python: a set of rows that `filter=` takes without parsing or copying it.
//
// Copies share their bitmap until one is changed (filter/rows.h), so a call that is at work keeps
// the rows that it was given while the set is changed beside it.
#include <pybind11/typing.h>

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/python_types.h"

namespace knarr::bindings {
namespace {

using Generation = std::optional<std::uint64_t>;

// That of a set made of two.
Generation common(const PyRows& a, const PyRows& b) {
  if (a.generation && b.generation && *a.generation != *b.generation) {
    fail(ErrorCode::kInvalidArgument, "rows of generation " + std::to_string(*a.generation) +
                                          " and of generation " + std::to_string(*b.generation) +
                                          " have other numbers: make both anew");
  }
  return a.generation ? a.generation : b.generation;
}

PyRows made(const py::object& rows, const py::typing::Optional<py::int_>& generation) {
  PyRows out;
  if (!rows.is_none()) out.rows = rows_of(rows, "rows");
  if (!generation.is_none()) {
    out.generation = static_cast<std::uint64_t>(count(generation, "generation"));
  }
  return out;
}

bool contains(const PyRows& self, const py::int_& row) {
  const std::int64_t number = integer(row, "row");
  return number >= 0 && number < kNoRow && self.rows.contains(static_cast<Row>(number));
}

std::string shown(const PyRows& self) {
  std::string out = "RowSet(" + std::to_string(self.rows.size()) + " rows";
  if (self.generation) out += ", generation=" + std::to_string(*self.generation);
  return out + ")";
}

bool is_same(const PyRows& self, const py::object& other) {
  return py::isinstance<PyRows>(other) && self.rows == py::cast<const PyRows&>(other).rows;
}

std::int64_t refuse_hash(const PyRows&) {
  throw py::type_error("unhashable type: 'RowSet', which may change; key by its serialize()");
}

PyRows& add(PyRows& self, const PyRows& other) {
  self.generation = common(self, other);
  self.rows.add(other.rows);
  return self;
}

PyRows& remove(PyRows& self, const PyRows& other) {
  self.generation = common(self, other);
  self.rows.remove(other.rows);
  return self;
}

}  // namespace

void register_row_set(py::module_& module) {
  using py::arg;
  py::class_<PyRows>(module, "RowSet",
                     "A set of rows that `filter=` takes at no cost. `|=` and `-=` change it in "
                     "place, at the cost of what they change.")
      .def(py::init(&made), arg("rows") = py::none(), arg("generation") = py::none(),
           "rows: a pyroaring.BitMap, its serialize() bytes or a bool array; None for no row. "
           "generation: of the engine that numbers them; another's refuses the set.")
      .def_readonly("generation", &PyRows::generation, "None: any engine takes the set.")
      .def("__len__", [](const PyRows& self) { return self.rows.size(); })
      .def("__bool__", [](const PyRows& self) { return !self.rows.empty(); })
      .def("__contains__", &contains, arg("row"))
      .def("__repr__", &shown)
      .def("__eq__", &is_same)
      .def("__hash__", &refuse_hash)
      .def(
          "__or__",
          [](const PyRows& a, const PyRows& b) {
            return PyRows{a.rows | b.rows, common(a, b)};
          },
          py::is_operator())
      .def(
          "__and__",
          [](const PyRows& a, const PyRows& b) {
            return PyRows{a.rows & b.rows, common(a, b)};
          },
          py::is_operator())
      .def(
          "__sub__",
          [](const PyRows& a, const PyRows& b) {
            return PyRows{a.rows - b.rows, common(a, b)};
          },
          py::is_operator())
      .def("__ior__", &add, py::is_operator())
      .def("__isub__", &remove, py::is_operator())
      .def(
          "copy", [](const PyRows& self) { return self; },
          "A set of its own, in constant time: the rows are copied when one of the two changes.")
      .def(
          "intersects",
          [](const PyRows& self, const PyRows& other) {
            common(self, other);
            return self.rows.intersects(other.rows);
          },
          arg("other"))
      .def(
          "serialize", [](const PyRows& self) { return py::bytes(self.rows.to_portable()); },
          "The portable Roaring format, which pyroaring.BitMap.deserialize reads.")
      .def_property_readonly(
          "size_bytes", [](const PyRows& self) { return self.rows.size_bytes(); },
          "Memory; shared rows are counted in full by each set.");
}

}  // namespace knarr::bindings
