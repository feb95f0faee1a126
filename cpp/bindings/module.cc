// knarr._core: the engine in Python. What users see is knarr.engine, which checks and converts.
#include "bindings/boundary.h"

PYBIND11_MODULE(_core, module) {
  namespace bindings = knarr::bindings;
  module.doc() = "The native core of knarr. Use knarr.Engine.";
  bindings::register_errors(module);
  bindings::register_edges(module);
  bindings::register_hits(module);
  bindings::register_results(module);
  bindings::register_engine(module);
}
