// The engine's reading calls, one native call each. The objects they return build their Python
// values when those are first looked at. Users see knarr.Engine, which documents every argument and
// passes all of them by position.
//
// Arguments are plain pybind11 parameters, from which it makes signatures and stubs. A parameter of
// type Expected<T> accepts any object: the functions of arguments.h convert it, so that a value
// that does not fit is refused with its name and an InvalidArgument, not with pybind11's TypeError.
//
// Matching the arguments costs about 0.4 us of a call: measured beside methods defined by hand with
// METH_FASTCALL, a search in a section takes 4.2 us against 3.8, a read 6.2 against 5.7, and a grep
// in a section 27.6 against 27.0 (processor time, tenth percentile of 60 batches of 200 calls, in
// alternating runs).
#include <pybind11/typing.h>

#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/python_types.h"
#include "engine/engine.h"

namespace knarr::bindings {
namespace {

template <class T>
using Expected = py::typing::Union<T>;  // shown as T in signatures
using Array = Expected<py::array>;
using Text = Expected<py::str>;
using Integer = Expected<py::int_>;
using Number = Expected<py::float_>;
using Flag = Expected<py::bool_>;

PlanWish plan_wish(std::string_view plan) {
  if (plan == "auto") return PlanWish::kAuto;
  if (plan == "exact") return PlanWish::kExact;
  if (plan == "scan") return PlanWish::kScan;
  if (plan == "graph") return PlanWish::kGraph;
  fail(ErrorCode::kInvalidArgument,
       "plan: expected \"auto\", \"exact\", \"scan\" or \"graph\", got \"" + std::string(plan) +
           "\"");
}

SearchHow search_how(const Text& plan, const Number& recall_target, const Flag& explain) {
  return {plan_wish(text(plan, "plan")), real(recall_target, "recall_target"), truth(explain)};
}

std::span<const float> question_of(const Engine& self, const py::object& value) {
  if (value.is_none()) return {};
  const std::span<const float> question = floats(value, 1, "question");
  if (question.empty()) {
    fail(ErrorCode::kInvalidArgument,
         "question: expected dimension " + std::to_string(self.dim()) + ", got 0");
  }
  return question;
}

PyHits search(const Engine& self, const Array& query, const Text& scope, const Integer& k,
              const py::object& filter, const py::object& kinds, const Integer& offset,
              const Flag& expand, const Number& gamma, const py::object& question, const Text& plan,
              const Number& recall_target, const Flag& explain, const py::object& audiences) {
  const std::span<const float> numbers = floats(query, 1, "query");
  const Uri uri(scope);
  const RowFilter seen(filter, kinds);
  const Audiences followed(audiences);
  SearchOptions options{uri, integer(k, "k"), integer(offset, "offset"), seen};
  options.audiences = followed;
  options.expand = truth(expand);
  options.gamma = static_cast<float>(real(gamma, "gamma"));
  options.question = question_of(self, question);
  options.how = search_how(plan, recall_target, explain);
  return {without_gil([&] { return self.search(numbers, options); }), options.how.explain, {}};
}

std::vector<PyHits> search_batch(const Engine& self, const Array& queries, const Text& scope,
                                 const Integer& k, const py::object& filter,
                                 const py::object& kinds, const Text& plan,
                                 const Number& recall_target, const Flag& explain) {
  const std::span<const float> numbers = floats(queries, 2, "queries");
  const auto width = py::reinterpret_borrow<py::array>(queries).shape(1);
  if (width != static_cast<py::ssize_t>(self.dim())) {
    fail(ErrorCode::kInvalidArgument, "queries: expected dimension " + std::to_string(self.dim()) +
                                          ", got " + std::to_string(width));
  }
  const Uri uri(scope);
  const RowFilter seen(filter, kinds);
  SearchOptions options{uri, integer(k, "k"), 0, seen};
  options.how = search_how(plan, recall_target, explain);
  std::vector<Hits> found = without_gil([&] { return self.search_batch(numbers, options); });
  std::vector<PyHits> out;
  out.reserve(found.size());
  for (Hits& hits : found) out.push_back({std::move(hits), options.how.explain, {}});
  return out;
}

Expansion expand(const Engine& self, const Expected<py::typing::Iterable<py::str>>& seeds,
                 const Array& query, const Text& scope, const py::object& filter,
                 const py::object& kinds, const Number& gamma, const Integer& limit,
                 const py::object& audiences) {
  const Uris nodes(seeds);
  const std::span<const float> numbers = floats(query, 1, "query");
  const Uri uri(scope);
  const RowFilter seen(filter, kinds);
  const Audiences followed(audiences);
  ExpandOptions options{uri, seen, static_cast<float>(real(gamma, "gamma"))};
  options.limit = static_cast<std::size_t>(count(limit, "limit"));
  options.audiences = followed;
  return without_gil([&] { return self.expand(nodes, numbers, options); });
}

std::vector<KnownEdge> edges(const Engine& self, const Integer& offset, const Integer& limit) {
  const std::int64_t first = integer(offset, "offset"), most = integer(limit, "limit");
  return without_gil([&] { return self.edges(first, most); });
}

ListPage children(const Engine& self, const Text& uri, const Integer& offset, const Integer& limit,
                  const py::object& filter) {
  const Uri directory(uri);
  const std::int64_t first = integer(offset, "offset"), most = integer(limit, "limit");
  const RowFilter seen(filter, py::none());
  return without_gil([&] { return self.list(directory, first, most, seen); });
}

GrepHits grep(const Engine& self, const Text& pattern, const Text& scope, const py::object& filter,
              const py::object& kinds, const Flag& literal, const Flag& ignore_case,
              const Integer& limit, const Integer& offset, const Integer& width,
              const Integer& timeout_ms) {
  const std::string_view regex = text(pattern, "pattern");
  const Uri uri(scope);
  const RowFilter seen(filter, kinds);
  GrepOptions options;
  options.literal = truth(literal);
  options.ignore_case = truth(ignore_case);
  options.limit = static_cast<std::uint64_t>(count(limit, "limit"));
  options.offset = static_cast<std::uint64_t>(count(offset, "offset"));
  options.width = static_cast<std::size_t>(count(width, "width"));
  options.timeout_ms = integer(timeout_ms, "timeout_ms");
  return without_gil([&] { return self.grep(regex, uri, seen, options); });
}

TextSpan read(const Engine& self, const Text& uri, const Integer& begin_byte,
              const py::typing::Optional<py::int_>& max_bytes, const py::object& filter) {
  const Uri node(uri);
  const std::int64_t begin = integer(begin_byte, "begin_byte");
  std::optional<std::int64_t> most;
  if (!max_bytes.is_none()) most = integer(max_bytes, "max_bytes");
  const RowFilter seen(filter, py::none());
  return without_gil([&] { return self.read(node, begin, most, seen); });
}

bool exists(const Engine& self, const Text& uri, const py::object& filter) {
  const Uri node(uri);
  const RowFilter seen(filter, py::none());
  return without_gil([&] { return self.exists(node, seen); });
}

std::uint64_t count_objects(const Engine& self, const Text& scope, const py::object& kinds,
                            const py::object& filter) {
  const Uri uri(scope);
  const RowFilter seen(filter, kinds);
  return without_gil([&] { return self.count(uri, seen); });
}

PyRows rows(const Engine& self, const Text& scope, const py::object& kinds,
            const py::object& filter) {
  const Uri uri(scope);
  const RowFilter seen(filter, kinds);
  NumberedRows found = without_gil([&] { return self.rows(uri, seen); });
  return {std::move(found.rows), found.generation};
}

}  // namespace

void define_reading(py::class_<Engine>& engine) {
  using py::arg;
  engine
      .def("search", &search, arg("query"), arg("scope"), arg("k"), arg("filter"), arg("kinds"),
           arg("offset"), arg("expand"), arg("gamma"), arg("question"), arg("plan"),
           arg("recall_target"), arg("explain"), arg("audiences"))
      .def("search_batch", &search_batch, arg("queries"), arg("scope"), arg("k"), arg("filter"),
           arg("kinds"), arg("plan"), arg("recall_target"), arg("explain"))
      .def("expand", &expand, arg("seeds"), arg("query"), arg("scope"), arg("filter"), arg("kinds"),
           arg("gamma"), arg("limit"), arg("audiences"))
      .def("edges", &edges, arg("offset"), arg("limit"))
      .def("children", &children, arg("uri"), arg("offset"), arg("limit"), arg("filter"))
      .def("grep", &grep, arg("pattern"), arg("scope"), arg("filter"), arg("kinds"), arg("literal"),
           arg("ignore_case"), arg("limit"), arg("offset"), arg("width"), arg("timeout_ms"))
      .def("read", &read, arg("uri"), arg("begin_byte"), arg("max_bytes"), arg("filter"))
      .def("exists", &exists, arg("uri"), arg("filter"))
      .def("count", &count_objects, arg("scope"), arg("kinds"), arg("filter"))
      .def("rows", &rows, arg("scope"), arg("kinds"), arg("filter"));
}

}  // namespace knarr::bindings
