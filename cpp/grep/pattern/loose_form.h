// The loose form of a pattern: one that RE2 can read, and that matches wherever the pattern may.
//
// It is the pattern without its word edges, with every character beyond ASCII in each class whose
// meaning RE2 takes for ASCII. RE2 runs it ahead of the slower matcher of Unicode words, which then
// begins where the first loose match begins: no match of the pattern can begin before.
#pragma once

#include <string>

#include "grep/pattern/syntax.h"

namespace knarr {

std::string loose_form(const PatternNode& root);

}  // namespace knarr
