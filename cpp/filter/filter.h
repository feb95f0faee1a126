// Filter: what a call may see, as one value.
//
// The rows a call may see are scope ∧ live ∧ kind ∧ the caller's own rows (rights, say). They are
// worked out once, before anything is ranked or matched, so that what is hidden costs no place
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
  // The generation that `rows` belong to (see Engine::compact); none: whatever it is.
  std::optional<std::uint64_t> generation = {};

  // The rows of `scope` that pass. Copies nothing when nothing restricts.
  RowSet within(const RowSet& scope, const KindRows& by_kind) const;
};

}  // namespace knarr
