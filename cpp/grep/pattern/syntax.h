// What can be told from a pattern's letters, without compiling it.
#pragma once

#include <string>
#include <string_view>

namespace knarr {

// True when nothing in the pattern is an operator: it only matches itself.
bool is_plain_text(std::string_view pattern);

// False only when no match can hold a line end. Says true when in doubt.
bool may_cross_lines(std::string_view pattern);

// The pattern with `\r\n` written as `\n`: texts are matched with their line ends made one LF.
std::string with_plain_line_ends(std::string_view pattern);

// Names the construct that RE2 stopped at, when it is one that needs backtracking or that RE2 does
// not offer; empty when the pattern is simply wrong. `part` is what RE2 complained about.
std::string_view unsupported_construct(std::string_view pattern, std::string_view part);

}  // namespace knarr
