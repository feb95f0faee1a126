// Edges in Python: the result of an expansion, as a sequence that makes its items on demand, and
// the edges that the engine holds.
#include <pybind11/typing.h>

#include "bindings/boundary.h"
#include "bindings/python_types.h"
#include "engine/engine.h"
#include "engine/results.h"

namespace knarr::bindings {
namespace {

Expanded item(const Expansion& self, py::ssize_t i) {
  const auto n = static_cast<py::ssize_t>(self.size());
  if (i < -n || i >= n) throw py::index_error("index out of range");
  return self[static_cast<std::size_t>(i < 0 ? i + n : i)];
}

py::typing::List<Expanded> items(const Expansion& self, const py::slice& places) {
  py::ssize_t begin = 0, end = 0, step = 0, count = 0;
  const auto n = static_cast<py::ssize_t>(self.size());
  if (!places.compute(n, &begin, &end, &step, &count)) throw py::error_already_set();
  py::typing::List<Expanded> out;
  for (; count > 0; --count, begin += step) out.append(item(self, begin));
  return out;
}

}  // namespace

void register_edges(py::module_& module) {
  py::class_<Expanded>(module, "Expanded",
                       "A target that an edge of a hit leads to, as it was when the call ran.")
      .def_property_readonly("uri", &Expanded::uri)
      .def_property_readonly(
          "row",
          [](const Expanded& self) {
            const Row row = self.row();
            return row == kNoRow ? -1 : std::int64_t{row};
          },
          "The target's row; -1 for a directory.")
      .def_property_readonly(
          "kind",
          [](const Expanded& self) -> std::optional<KindName> {
            const auto kind = self.kind();
            if (!kind) return std::nullopt;
            return KindName(py::str(kind_name(*kind)));
          },
          "\"chunk\" or \"abstract\"; None for a directory.")
      .def_property_readonly("preview", &Expanded::preview)
      .def_property_readonly("document", &Expanded::document,
                             "URI of its document; \"\" when it has none.")
      .def_property_readonly("source", &Expanded::source, "URI of the seed.")
      .def_property_readonly("similarity", &Expanded::similarity,
                             "Cosine of the query and the edge's question.")
      .def_property_readonly("question", &Expanded::question)
      .def_property_readonly("summary", &Expanded::summary)
      .def_property_readonly("trace", &Expanded::trace);

  py::class_<Expansion>(module, "Expansion",
                        "Targets that edges lead to, as a sequence of Expanded: the most similar "
                        "question first, then by URI.")
      .def("__len__", &Expansion::size)
      .def("__getitem__", &item)
      .def("__getitem__", &items)
      .def("__iter__",
           [](const Expansion& self) {
             const py::slice all(0, static_cast<py::ssize_t>(self.size()), 1);
             return py::typing::Iterator<Expanded>(py::iter(items(self, all)));
           })
      .def("__repr__", [](const Expansion& self) {
        return "Expansion(" + std::to_string(self.size()) + " targets)";
      });

  py::class_<KnownEdge>(module, "KnownEdge", "An edge that the engine holds.")
      .def_readonly("source", &KnownEdge::source, "URI of the source.")
      .def_readonly("target", &KnownEdge::target)
      .def_readonly("question", &KnownEdge::question)
      .def_readonly("trace", &KnownEdge::trace)
      .def_readonly("summary", &KnownEdge::summary)
      .def_readonly("audience", &KnownEdge::audience, "Who may follow it; 0 for everybody.")
      .def_property_readonly(
          "expires_at",
          [](const KnownEdge& self) -> std::optional<std::int64_t> {
            if (self.expires_at_s == kNeverExpires) return std::nullopt;
            return self.expires_at_s;
          },
          "Unix seconds; None for never.");
}

}  // namespace knarr::bindings
