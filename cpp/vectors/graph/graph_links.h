// GraphLinks: who is near whom, as a hierarchical small-world graph (Malkov and Yashunin, 2016)
// that USearch's headers build. Nodes are slots 0, 1, 2, ..., in the order in which they were
// added; a slot lies on the levels 0 to level(slot), ever fewer of them on each.
//
// It holds no vectors: whoever adds a slot shows it the short rows of all of them. Slots are added
// one after the other, by products of whole numbers, so the same rows in the same order give the
// same graph on every machine.
//
// Threads: one adds; the rest may be called by any thread while nobody adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/function_ref.h"
#include "vectors/rows/quantised_rows.h"

namespace knarr {

using Slot = std::uint32_t;

// A slot has at most so many links on level 0, and half of them on each level above.
inline constexpr std::size_t kMostLinks = 32;

class GraphLinks {
 public:
  // Whether this build has USearch. Where it has not, the constructor throws kUnsupported.
  static bool is_built_in();

  GraphLinks();
  ~GraphLinks();
  GraphLinks(const GraphLinks&) = delete;
  GraphLinks& operator=(const GraphLinks&) = delete;

  // A copy to which can be added.
  std::unique_ptr<GraphLinks> copy() const;

  std::size_t size() const { return size_; }

  // Adds the slot size(), whose short row is vectors[size()]; those of the others stand before it.
  // Throws std::bad_alloc, with nothing added.
  void add(std::span<const std::byte* const> vectors, const QuantisedShape& shape);

  // Where a walk begins: a slot on the highest level. Requires size() > 0.
  Slot entry() const { return entry_; }
  std::size_t level(Slot slot) const;
  // Writes the slots that `slot` leads to on a level that it lies on, and returns how many.
  std::size_t links(Slot slot, std::size_t level, Slot* out) const;

  // Memory held.
  std::size_t size_bytes() const;

  // The graph as bytes, in pieces, and back. The bytes are outside data: read() returns null unless
  // they are exactly a whole graph of `slots` slots.
  void write(FunctionRef<void(std::span<const std::byte>)> out) const;
  static std::unique_ptr<GraphLinks> read(std::span<const std::byte> bytes, std::size_t slots);

 private:
  struct Index;

  std::unique_ptr<Index> index_;
  std::size_t size_ = 0;
  Slot entry_ = 0;
};

}  // namespace knarr
