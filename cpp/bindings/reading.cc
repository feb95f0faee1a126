// The engine's reading calls, one native call each. What they return makes its Python objects when
// they are looked at. Users see knarr.Engine, which gives every argument and explains them.
#include "base/error.h"
#include "bindings/arguments.h"
#include "bindings/direct.h"
#include "bindings/names.h"
#include "engine/engine.h"

namespace knarr::bindings {
namespace {

PlanWish plan_wish(std::string_view plan) {
  if (plan == "auto") return PlanWish::kAuto;
  if (plan == "exact") return PlanWish::kExact;
  if (plan == "scan") return PlanWish::kScan;
  if (plan == "graph") return PlanWish::kGraph;
  fail(ErrorCode::kInvalidArgument,
       "plan: expected \"auto\", \"exact\", \"scan\" or \"graph\", got \"" + std::string(plan) +
           "\"");
}

SearchHow how(Items plan_recall_explain) {
  const Items given = plan_recall_explain;
  return {plan_wish(text(given[0], "plan")), real(given[1], "recall_target"), truth(given[2])};
}

// What a call of the engine gives, as a Python object; the GIL is free while it runs.
py::object answer(const auto& call) { return py::cast(without_gil(call)); }

std::span<const float> question_of(const Engine& self, PyObject* value) {
  if (value == Py_None) return {};
  const std::span<const float> question = floats(value, 1, "question");
  if (question.empty()) {
    fail(ErrorCode::kInvalidArgument,
         "question: expected dimension " + std::to_string(self.dim()) + ", got 0");
  }
  return question;
}

py::object search(const Engine& self, Items given) {
  const std::span<const float> query = floats(given[0], 1, "query");
  const Uri scope(given[1]);
  const Seen seen(given[3], given[4]);
  SearchOptions options{scope, integer(given[2], "k"), integer(given[5], "offset"), seen};
  options.expand = truth(given[6]);
  options.gamma = static_cast<float>(real(given[7], "gamma"));
  options.question = question_of(self, given[8]);
  options.how = how(given + 9);
  Hits hits = without_gil([&] { return self.search(query, options); });
  return py::cast(PyHits{std::move(hits), options.how.explain, {}});
}

py::object search_batch(const Engine& self, Items given) {
  const std::span<const float> queries = floats(given[0], 2, "queries");
  const auto width = py::reinterpret_borrow<py::array>(given[0]).shape(1);
  if (width != static_cast<py::ssize_t>(self.dim())) {
    fail(ErrorCode::kInvalidArgument, "queries: expected dimension " + std::to_string(self.dim()) +
                                          ", got " + std::to_string(width));
  }
  const Uri scope(given[1]);
  const Seen seen(given[3], given[4]);
  SearchOptions options{scope, integer(given[2], "k"), 0, seen};
  options.how = how(given + 5);
  std::vector<Hits> found = without_gil([&] { return self.search_batch(queries, options); });
  py::list out(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    out[i] = py::cast(PyHits{std::move(found[i]), options.how.explain, {}});
  }
  return out;
}

py::object expand(const Engine& self, Items given) {
  const Uris seeds(given[0]);
  const std::span<const float> query = floats(given[1], 1, "query");
  const Uri scope(given[2]);
  const Seen seen(given[3], given[4]);
  ExpandOptions options{scope, seen, static_cast<float>(real(given[5], "gamma"))};
  options.limit = static_cast<std::size_t>(count(given[6], "limit"));
  return answer([&] { return self.expand(seeds, query, options); });
}

py::object edges(const Engine& self, Items given) {
  const std::int64_t offset = integer(given[0], "offset"), limit = integer(given[1], "limit");
  return answer([&] { return self.edges(offset, limit); });
}

py::object children(const Engine& self, Items given) {
  const Uri uri(given[0]);
  const std::int64_t offset = integer(given[1], "offset"), limit = integer(given[2], "limit");
  return answer([&] { return self.list(uri, offset, limit); });
}

py::object grep(const Engine& self, Items given) {
  const std::string_view pattern = text(given[0], "pattern");
  const Uri scope(given[1]);
  const Seen seen(given[2], given[3]);
  GrepOptions options;
  options.literal = truth(given[4]);
  options.ignore_case = truth(given[5]);
  options.limit = static_cast<std::uint64_t>(count(given[6], "limit"));
  options.offset = static_cast<std::uint64_t>(count(given[7], "offset"));
  options.width = static_cast<std::size_t>(count(given[8], "width"));
  options.timeout_ms = integer(given[9], "timeout_ms");
  return answer([&] { return self.grep(pattern, scope, seen, options); });
}

py::object read(const Engine& self, Items given) {
  const Uri uri(given[0]);
  const std::int64_t begin_byte = integer(given[1], "begin_byte");
  const auto max_bytes = bound(given[2], "max_bytes");
  return answer([&] { return self.read(uri, begin_byte, max_bytes); });
}

py::object exists(const Engine& self, Items given) {
  const Uri uri(given[0]);
  return answer([&] { return self.exists(uri); });
}

py::object count_objects(const Engine& self, Items given) {
  const Uri scope(given[0]);
  const Kinds kinds = kinds_of(given[1]);
  return answer([&] { return self.count(scope, kinds); });
}

PyMethodDef methods[] = {
    direct_method<Engine, &search, 12>(
        "search",
        "search(self: knarr._core.Engine, query: object, scope: str, k: int, filter: object, "
        "kinds: object, offset: int, expand: bool, gamma: float, question: object, plan: str, "
        "recall_target: float, explain: bool, /) -> knarr._core.Hits\n"),
    direct_method<Engine, &search_batch, 8>(
        "search_batch",
        "search_batch(self: knarr._core.Engine, queries: object, scope: str, k: int, filter: "
        "object, kinds: object, plan: str, recall_target: float, explain: bool, /) -> "
        "list[knarr._core.Hits]\n"),
    direct_method<Engine, &expand, 7>(
        "expand",
        "expand(self: knarr._core.Engine, seeds: collections.abc.Sequence[str], query: object, "
        "scope: str, filter: object, kinds: object, gamma: float, limit: int, /) -> "
        "knarr._core.Expansion\n"),
    direct_method<Engine, &edges, 2>(
        "edges",
        "edges(self: knarr._core.Engine, offset: int, limit: int, /) -> "
        "list[knarr._core.KnownEdge]\n"),
    direct_method<Engine, &children, 3>(
        "children",
        "children(self: knarr._core.Engine, uri: str, offset: int, limit: int, /) -> "
        "knarr._core.ListPage\n"),
    direct_method<Engine, &grep, 10>(
        "grep",
        "grep(self: knarr._core.Engine, pattern: str, scope: str, filter: object, kinds: object, "
        "literal: bool, ignore_case: bool, limit: int, offset: int, width: int, timeout_ms: int, "
        "/) -> knarr._core.GrepHits\n"),
    direct_method<Engine, &read, 3>(
        "read",
        "read(self: knarr._core.Engine, uri: str, begin_byte: int, max_bytes: int | None, /) -> "
        "knarr._core.TextSpan\n"),
    direct_method<Engine, &exists, 1>("exists",
                                      "exists(self: knarr._core.Engine, uri: str, /) -> bool\n"),
    direct_method<Engine, &count_objects, 2>(
        "count", "count(self: knarr._core.Engine, scope: str, kinds: object, /) -> int\n"),
};

}  // namespace

void define_reading(const py::object& engine) {
  for (PyMethodDef& method : methods) add_method(engine, method);
}

}  // namespace knarr::bindings
