// Required text: a string that every match of a pattern must hold.
#pragma once

#include <string>
#include <string_view>

namespace knarr {

// The longest such text that the pattern's letters show (case counts); empty when there is none, or
// in doubt. The pattern is well-formed RE2 syntax.
std::string required_text(std::string_view pattern);

}  // namespace knarr
