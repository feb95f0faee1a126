// The precision in which vectors are stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace knarr {

enum class Precision : std::uint8_t {
  kFloat32,
  kBfloat16,  // the upper half of each float32, eight binary digits
  kInt8,      // a whole number from -127 to 127 for each
};

// "float32", "bfloat16" or "int8".
const char* name(Precision precision);

// The precision of that name; none when it is another word.
std::optional<Precision> precision_named(std::string_view word);

}  // namespace knarr
