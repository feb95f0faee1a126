// Hits in Python: columns of one length, each made when it is first read, then kept.
#include <pybind11/typing.h>

#include <map>

#include "bindings/boundary.h"
#include "bindings/python_types.h"
#include "engine/engine.h"
#include "engine/results.h"

namespace knarr::bindings {
namespace {

using Texts = py::typing::List<py::str>;
using Numbers = py::typing::List<py::int_>;

// The list that f makes of the hits.
template <class List, class F>
List kept(PyHits& self, const char* name, F f) {
  py::object& column = self.columns[name];
  if (!column) column = py::cast(without_gil([&] { return f(std::as_const(self.hits)); }));
  return List(column);
}

// The list of f(hits, i) for each hit.
template <class List, class F>
List column(PyHits& self, const char* name, F f) {
  return kept<List>(self, name, [&](const Hits& hits) {
    std::vector<decltype(f(hits, std::size_t{}))> out;
    out.reserve(hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) out.push_back(f(hits, i));
    return out;
  });
}

template <class T>
py::array_t<T> numbers(const PyHits& self, T ScoredRow::*member) {
  py::array_t<T> out(static_cast<py::ssize_t>(self.hits.size()));
  T* data = out.mutable_data();
  for (const ScoredRow& each : self.hits.rows) *data++ = each.*member;
  return out;
}

// How a result was found, with the name of the plan.
struct PyExplanation : Explanation {
  std::string plan;
};

std::optional<PyExplanation> explain(const PyHits& self) {
  if (!self.is_explained) return std::nullopt;
  return PyExplanation{self.hits.explanation, self.hits.plan};
}

std::string describe_steps(const PyExplanation& self) {
  return "Explanation(plan=" + self.plan + ", rows_allowed=" + std::to_string(self.rows_allowed) +
         ", rows_scanned=" + std::to_string(self.rows_scanned) +
         ", rows_reranked=" + std::to_string(self.rows_reranked) +
         ", plan_us=" + std::to_string(self.plan_us) + ", scan_us=" + std::to_string(self.scan_us) +
         ", rerank_us=" + std::to_string(self.rerank_us) + ")";
}

std::string describe(PyHits& self) {
  std::string out = "Hits(" + std::to_string(self.hits.size()) + " of " +
                    std::to_string(self.hits.rows_allowed) + " rows allowed, plan " +
                    self.hits.plan;
  if (self.hits.size() > 0) out += ", best " + self.hits.uri(0);
  return out + ")";
}

}  // namespace

void register_hits(py::module_& module) {
  py::class_<PyExplanation>(module, "Explanation",
                            "How a result was found. Times are those of the whole call, which the "
                            "queries of a batch share.")
      .def_readonly("plan", &PyExplanation::plan)
      .def_readonly("rows_allowed", &PyExplanation::rows_allowed,
                    "Rows that scope and filter allow.")
      .def_readonly("rows_scanned", &PyExplanation::rows_scanned,
                    "Rows whose code (plan \"scan\"), or quantised or full vector (\"exact\"), was "
                    "read.")
      .def_readonly("rows_reranked", &PyExplanation::rows_reranked,
                    "Rows whose vector was scored after that.")
      .def_readonly("plan_us", &PyExplanation::plan_us, "Time to choose the plan.")
      .def_readonly("scan_us", &PyExplanation::scan_us)
      .def_readonly("rerank_us", &PyExplanation::rerank_us)
      .def("__repr__", &describe_steps);

  py::class_<PyHits>(module, "Hits",
                     "Results of a search, best first, as columns of one length. They describe "
                     "the engine as it was when the search ran.")
      .def("__len__", [](const PyHits& self) { return self.hits.size(); })
      .def("__repr__", &describe)
      .def_property_readonly("uris",
                             [](PyHits& self) {
                               return kept<Texts>(self, "uris",
                                                  [](const Hits& hits) { return hits.uris(); });
                             })
      .def_property_readonly(
          "scores", [](const PyHits& self) { return numbers(self, &ScoredRow::score); },
          "Cosines, float32 (n,).")
      .def_property_readonly(
          "rows", [](const PyHits& self) { return numbers(self, &ScoredRow::row); }, "uint32 (n,).")
      .def_property_readonly(
          "plan", [](const PyHits& self) { return self.hits.plan; },
          "How the vectors were searched: \"exact\" or \"scan\".")
      .def_property_readonly(
          "explain", &explain,
          "How the result was found; None unless the search was asked to explain.")
      .def_property_readonly(
          "rows_allowed", [](const PyHits& self) { return self.hits.rows_allowed; },
          "How many objects scope and filter allow.")
      .def_property_readonly(
          "kinds",
          [](PyHits& self) {
            return column<py::typing::List<KindName>>(self, "kinds",
                                                      [](const Hits& hits, std::size_t i) {
                                                        return std::string(kind_name(hits.kind(i)));
                                                      });
          },
          "\"chunk\" or \"abstract\".")
      .def_property_readonly("previews",
                             [](PyHits& self) {
                               return column<Texts>(
                                   self, "previews",
                                   [](const Hits& hits, std::size_t i) { return hits.preview(i); });
                             })
      .def_property_readonly(
          "documents",
          [](PyHits& self) {
            return kept<Texts>(self, "documents",
                               [](const Hits& hits) { return hits.documents(); });
          },
          "URI of each hit's document; \"\" when it has none.")
      .def_property_readonly(
          "begin_bytes",
          [](PyHits& self) {
            return column<Numbers>(self, "begin_bytes", [](const Hits& hits, std::size_t i) {
              return hits.extent(i).begin_byte;
            });
          },
          "Where each hit's text begins in the text of its document.")
      .def_property_readonly("end_bytes",
                             [](PyHits& self) {
                               return column<Numbers>(self, "end_bytes",
                                                      [](const Hits& hits, std::size_t i) {
                                                        return hits.extent(i).end_byte;
                                                      });
                             })
      .def_property_readonly(
          "line_begins",
          [](PyHits& self) {
            return column<Numbers>(self, "line_begins", [](const Hits& hits, std::size_t i) {
              return hits.extent(i).line_begin;
            });
          },
          "The line, from 1, where each hit's text begins; 0 without a text.")
      .def_property_readonly("line_ends",
                             [](PyHits& self) {
                               return column<Numbers>(self, "line_ends",
                                                      [](const Hits& hits, std::size_t i) {
                                                        return hits.extent(i).line_end;
                                                      });
                             })
      .def_property_readonly(
          "expanded", [](const PyHits& self) -> const Expansion& { return self.hits.expanded; },
          "Targets of the hits' edges, most similar question first; empty without "
          "expand=True.");
}

}  // namespace knarr::bindings
