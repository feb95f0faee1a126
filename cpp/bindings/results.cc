#include "engine/results.h"

#include "bindings/boundary.h"
#include "bindings/python_types.h"

namespace knarr::bindings {
namespace {

void register_listing(py::module_& module) {
  py::class_<ListEntry>(module, "ListEntry", "A child of a directory.")
      .def_readonly("uri", &ListEntry::uri)
      .def_readonly("name", &ListEntry::name, "The decoded name.")
      .def_readonly("is_directory", &ListEntry::is_directory)
      .def_readonly("rows", &ListEntry::rows, "Objects at or below it.")
      .def_property_readonly(
          "kind",
          [](const ListEntry& self) -> std::optional<KindName> {
            if (!self.kind) return std::nullopt;
            return KindName(py::str(kind_name(*self.kind)));
          },
          "\"chunk\" or \"abstract\"; None for a directory.")
      .def_readonly("preview", &ListEntry::preview, "For a directory the preview of its abstract.")
      .def("__repr__", [](const ListEntry& self) {
        return "ListEntry(" + self.uri + ", rows=" + std::to_string(self.rows) + ")";
      });
  py::class_<ListPage>(module, "ListPage",
                       "A page of a directory's children, in order of creation.")
      .def_readonly("entries", &ListPage::entries)
      .def_readonly("total", &ListPage::total, "The number of all children.")
      .def("__len__", [](const ListPage& self) { return self.entries.size(); });
}

void register_grep(py::module_& module) {
  py::class_<GrepHit>(module, "GrepMatch", "One occurrence of a pattern.")
      .def_readonly("uri", &GrepHit::uri, "URI of the object where the match begins.")
      .def_readonly("uris", &GrepHit::uris, "URIs of all objects that the match overlaps.")
      .def_readonly("row", &GrepHit::row, "Row of `uri`.")
      .def_readonly("line", &GrepHit::line, "Line in the document's text, from 1.")
      .def_readonly("column", &GrepHit::column, "Byte in that line, from 1.")
      .def_readonly("begin_byte", &GrepHit::begin_byte, "Offset in the document's text.")
      .def_readonly("end_byte", &GrepHit::end_byte)
      .def_readonly("excerpt", &GrepHit::excerpt, "At most `width` bytes around it, one line.")
      .def_readonly("document", &GrepHit::document, "URI of its document; \"\" when it has none.")
      .def("__repr__", [](const GrepHit& self) {
        return "GrepMatch(" + self.uri + ", line=" + std::to_string(self.line) + ")";
      });
  py::class_<GrepHits>(module, "GrepHits", "Matches in document order.")
      .def_readonly("matches", &GrepHits::matches)
      .def_readonly("total", &GrepHits::total, "Number of matches found, shown or not.")
      .def_property_readonly(
          "outcome",
          [](const GrepHits& self) { return OutcomeName(py::str(outcome_name(self.outcome))); },
          "\"matches\", \"no_matches\" or \"incomplete\".")
      .def_readonly("note", &GrepHits::note,
                    "Why the search is incomplete, and what it did not reach.")
      .def_readonly("next_offset", &GrepHits::next_offset,
                    "Offset of the next match that is not shown; None when all are.")
      .def("__len__", [](const GrepHits& self) { return self.matches.size(); });
}

void register_text(py::module_& module) {
  py::class_<TextSpan>(module, "TextSpan", "A piece of the text that a URI names.")
      .def_readonly("text", &TextSpan::text)
      .def_readonly("begin_byte", &TextSpan::begin_byte, "Offset in all text that the URI names.")
      .def_readonly("end_byte", &TextSpan::end_byte)
      .def_readonly("total_bytes", &TextSpan::total_bytes, "Size of all text that the URI names.")
      .def_readonly("next_offset", &TextSpan::next_offset,
                    "Offset at which the text continues; None at the end.")
      .def_readonly("base_byte", &TextSpan::base_byte,
                    "Where the URI's text begins in its document's; 0 when it spans several texts.")
      .def_readonly("document", &TextSpan::document, "URI; \"\" when none, or several.")
      .def_readonly("line_begin", &TextSpan::line_begin, "Line of the first byte, from 1.")
      .def_readonly("line_end", &TextSpan::line_end, "Line of the last byte.")
      .def_readonly("uris", &TextSpan::uris, "Objects that the piece overlaps.");
}

}  // namespace

void register_results(py::module_& module) {
  register_listing(module);
  register_grep(module);
  register_text(module);
}

}  // namespace knarr::bindings
