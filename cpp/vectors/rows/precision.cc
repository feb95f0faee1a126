#include "vectors/rows/precision.h"

namespace knarr {

const char* name(Precision precision) {
  switch (precision) {
    case Precision::kBfloat16:
      return "bfloat16";
    case Precision::kInt8:
      return "int8";
    case Precision::kFloat32:
      break;
  }
  return "float32";
}

std::optional<Precision> precision_named(std::string_view word) {
  for (const Precision each : {Precision::kFloat32, Precision::kBfloat16, Precision::kInt8}) {
    if (word == name(each)) return each;
  }
  return std::nullopt;
}

}  // namespace knarr
