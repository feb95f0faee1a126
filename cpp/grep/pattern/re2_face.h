// RE2 with the type of its text arguments found out rather than named: re2::StringPiece in older
// releases (Debian 12), absl::string_view in newer ones.
#pragma once

#include <re2/re2.h>

namespace knarr::re2_face {

template <class P>
P piece_of(bool (RE2::*)(const P&, std::size_t, std::size_t, RE2::Anchor, P*, int) const);
template <class P>
P piece_of(bool (RE2::*)(P, std::size_t, std::size_t, RE2::Anchor, P*, int) const);

using Piece = decltype(piece_of(&RE2::Match));

}  // namespace knarr::re2_face
