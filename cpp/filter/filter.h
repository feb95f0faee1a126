// Filter: which rows a call may see, as one value.
//
// A call may see scope ∧ live ∧ kind ∧ the caller's own rows (its rights, for example). The set is
// computed once, before anything is ranked or matched, so that a hidden row never takes a place
// among the best k. The scope's rows come from the trie, which holds live rows only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/types.h"
#include "filter/rows.h"

namespace knarr {

// Which kinds of object; bit 1 << kind.
using Kinds = std::uint8_t;
inline constexpr Kinds kind_bit(Kind kind) {
  return static_cast<Kinds>(1u << static_cast<unsigned>(kind));
}
inline constexpr Kinds kAllKinds = 3;

// The live rows of each kind.
using KindRows = std::array<RowSet, 2>;

struct Filter {
  Kinds kinds = kAllKinds;
  std::optional<RowSet> rows;  // none: every row
  // The generation that `rows` belong to (see Engine::compact); none: any.
  std::optional<std::uint64_t> generation = {};

  // The rows of `scope` that pass. A filter without restrictions copies nothing.
  RowSet within(const RowSet& scope, const KindRows& by_kind) const {
    RowSet seen = rows ? scope & *rows : scope;
    switch (kinds & kAllKinds) {
      case kAllKinds:
        return seen;
      case kind_bit(Kind::kChunk):
        return seen & by_kind[0];
      case kind_bit(Kind::kAbstract):
        return seen & by_kind[1];
      default:
        return RowSet();
    }
  }
};

}  // namespace knarr
