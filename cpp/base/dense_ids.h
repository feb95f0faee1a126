// DenseIds: gives distinct keys the ids 0, 1, 2, ... in the order of their first appearance.
//
// An open-addressing hash table in one allocation, for the few hundred keys of one call. Keys are
// 32-bit numbers or pointers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace knarr {

template <class K>
class DenseIds {
 public:
  // Room for `most` distinct keys.
  explicit DenseIds(std::size_t most)
      : slots_(std::bit_ceil(2 * most + 2)), shift_(64 - std::countr_zero(slots_.size())) {}

  struct Id {
    std::uint32_t id;
    bool is_new;
  };
  Id operator()(K key) {
    std::size_t at = (bits(key) * 0x9E3779B97F4A7C15u) >> shift_;
    for (; slots_[at].number_plus_one != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return {slots_[at].number_plus_one - 1, false};
    }
    slots_[at] = {key, ++count_};
    return {count_ - 1, true};
  }

 private:
  struct Slot {
    K key{};
    std::uint32_t number_plus_one = 0;  // 0: empty
  };
  static std::uint64_t bits(std::uint32_t key) { return key; }
  static std::uint64_t bits(const void* key) { return reinterpret_cast<std::uintptr_t>(key); }

  std::vector<Slot> slots_;
  int shift_;
  std::uint32_t count_ = 0;
};

}  // namespace knarr
