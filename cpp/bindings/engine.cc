#include "engine/engine.h"

#include <pybind11/typing.h>

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/python_types.h"

namespace knarr::bindings {
namespace {

using Texts = py::typing::List<py::str>;

std::vector<Kind> kind_list(const std::optional<Texts>& list) {
  std::vector<Kind> out;
  const Strings names = Strings::of(list);
  for (const std::string_view name : std::span<const std::string_view>(names)) {
    if (name != "chunk" && name != "abstract") {
      fail(ErrorCode::kInvalidArgument,
           "kinds: expected \"chunk\" or \"abstract\", got \"" + std::string(name) + "\"");
    }
    out.push_back(name == "chunk" ? Kind::kChunk : Kind::kAbstract);
  }
  return out;
}

std::pair<Row, Row> add(Engine& self, const Texts& uris, const py::array& vectors,
                        const std::optional<Texts>& texts, const std::optional<Texts>& kinds,
                        const std::optional<std::string>& document, bool replace,
                        const std::optional<Texts>& previews) {
  const Strings names(uris), bodies = Strings::of(texts), shown = Strings::of(previews);
  const std::vector<Kind> kind = kind_list(kinds);
  Objects objects{names, floats(vectors, 2, "vectors"), bodies, kind, shown, {}, replace};
  if (vectors.shape(0) != static_cast<py::ssize_t>(uris.size()) ||
      vectors.shape(1) != static_cast<py::ssize_t>(self.dim())) {
    fail(ErrorCode::kInvalidArgument, "vectors: expected (" + std::to_string(uris.size()) + ", " +
                                          std::to_string(self.dim()) + "), got (" +
                                          std::to_string(vectors.shape(0)) + ", " +
                                          std::to_string(vectors.shape(1)) + ")");
  }
  if (document) objects.document = *document;
  const RowRange rows = without_gil([&] { return self.add(objects); });
  return {rows.begin, rows.end};
}

Precision precision_of(std::string_view word) {
  if (const auto precision = precision_named(word)) return *precision;
  fail(ErrorCode::kInvalidArgument,
       "precision: expected \"float32\", \"bfloat16\" or \"int8\", got \"" + std::string(word) +
           "\"");
}

std::uint64_t add_edges(Engine& self, const Texts& sources, const Texts& targets,
                        const std::string& question, const py::array& vector,
                        const std::string& trace, const std::string& summary,
                        std::optional<std::int64_t> expires_at_s, std::int64_t audience) {
  if (audience < 0 || audience >= kNoRow) {
    fail(ErrorCode::kInvalidArgument,
         "audience: expected 0 (everybody) to 4294967294, got " + std::to_string(audience));
  }
  const Strings from(sources), to(targets);
  const std::span<const float> values = floats(vector, 1, "vector");
  return without_gil([&] {
    return self.add_edges({from, to, question, values, trace, summary,
                           expires_at_s.value_or(kNeverExpires), static_cast<Audience>(audience)});
  });
}

std::optional<py::array_t<Row>> compact(Engine& self, double least_share) {
  const auto numbers = without_gil([&] { return self.compact(least_share); });
  if (!numbers) return std::nullopt;
  return py::array_t<Row>(static_cast<py::ssize_t>(numbers->size()), numbers->data());
}

py::typing::Dict<py::str, py::int_> stats(const Engine& self) {
  const Stats stats = without_gil([&] { return self.stats(); });
  py::typing::Dict<py::str, py::int_> out;
  out["dim"] = stats.dim;
  out["objects"] = stats.objects;
  out["rows"] = stats.rows;
  out["directories"] = stats.directories;
  out["version"] = stats.version;
  out["generation"] = stats.generation;
  out["edges"] = stats.edges;
  out["questions"] = stats.questions;
  out["text_bytes"] = stats.text_bytes;
  out["vectors_size_bytes"] = stats.vectors_size_bytes;
  out["short_size_bytes"] = stats.short_size_bytes;
  out["codes_size_bytes"] = stats.codes_size_bytes;
  out["graph_rows"] = stats.graph_rows;
  out["graph_size_bytes"] = stats.graph_size_bytes;
  out["texts_size_bytes"] = stats.texts_size_bytes;
  out["index_size_bytes"] = stats.index_size_bytes;
  out["trie_size_bytes"] = stats.trie_size_bytes;
  out["rows_size_bytes"] = stats.rows_size_bytes;
  out["records_size_bytes"] = stats.records_size_bytes;
  out["edges_size_bytes"] = stats.edges_size_bytes;
  out["edge_questions_size_bytes"] = stats.edge_questions_size_bytes;
  return out;
}

using Class = py::class_<Engine>;

// Instances come from `create` and `load` only. Otherwise `Engine.__new__(Engine)` would make an
// object without an engine, and pybind11 would call methods on uninitialised memory.
void forbid_instantiation(PyHeapTypeObject* type) {
  type->ht_type.tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
}

void define_writing(Class& type) {
  type.def("add", &add, py::arg("uris"), py::arg("vectors"), py::arg("texts") = py::none(),
           py::arg("kinds") = py::none(), py::kw_only(), py::arg("document") = py::none(),
           py::arg("replace") = false, py::arg("previews") = py::none())
      .def(
          "remove",
          [](Engine& self, const std::string& uri) {
            return without_gil([&] { return self.remove(uri); });
          },
          py::arg("uri"))
      .def(
          "move",
          [](Engine& self, const std::string& source, const std::string& target) {
            return without_gil([&] { return self.move(source, target); });
          },
          py::arg("source"), py::arg("target"))
      .def("compact", &compact, py::arg("least_share"))
      .def("add_edges", &add_edges, py::arg("sources"), py::arg("targets"), py::arg("question"),
           py::arg("vector"), py::kw_only(), py::arg("trace") = "", py::arg("summary") = "",
           py::arg("expires_at_s") = py::none(), py::arg("audience") = 0)
      .def(
          "remove_edges_of_trace",
          [](Engine& self, const std::string& trace) {
            return without_gil([&] { return self.remove_edges_of_trace(trace); });
          },
          py::arg("trace"))
      .def(
          "remove_edges_of_node",
          [](Engine& self, const std::string& uri) {
            return without_gil([&] { return self.remove_edges_of_node(uri); });
          },
          py::arg("uri"))
      .def(
          "keep_graph", [](Engine& self, bool on) { without_gil([&] { self.keep_graph(on); }); },
          py::arg("on"))
      .def_property_readonly("keeps_graph", &Engine::keeps_graph)
      .def_property_readonly("graph_rows", &Engine::graph_rows);
}

}  // namespace

void register_engine(py::module_& module) {
  Class type(module, "Engine", "The native index; see knarr.Engine.",
             py::custom_type_setup(&forbid_instantiation));
  type.def_static(
          "create",
          [](std::size_t dim, std::string_view precision) {
            return std::make_unique<Engine>(dim, precision_of(precision));
          },
          py::arg("dim"), py::arg("precision") = "float32")
      .def_property_readonly("dim", &Engine::dim)
      .def_property_readonly(
          "precision",
          [](const Engine& self) { return PrecisionName(py::str(name(self.precision()))); })
      .def_property_readonly("generation", &Engine::generation)
      .def("__len__", &Engine::size);
  define_writing(type);
  define_reading(type);
  type.def("stats", &stats)
      .def(
          "wait_for_graph",
          [](const Engine& self, std::int64_t timeout_ms) {
            return without_gil(
                [&] { return self.wait_for_graph(std::chrono::milliseconds(timeout_ms)); });
          },
          py::arg("timeout_ms"))
      .def(
          "save",
          [](const Engine& self, const py::bytes& path) {
            const std::string name(path);
            without_gil([&] { self.save(name); });
          },
          py::arg("path"), "path: as os.fsencode gives it")
      .def_static(
          "load",
          [](const py::bytes& path, std::optional<std::string_view> precision, bool check_all) {
            const std::string name(path);
            std::optional<Precision> expected;
            if (precision) expected = precision_of(*precision);
            return without_gil([&] { return Engine::load(name, expected, check_all); });
          },
          py::arg("path"), py::arg("precision") = py::none(), py::arg("check_all") = false);
}

}  // namespace knarr::bindings
