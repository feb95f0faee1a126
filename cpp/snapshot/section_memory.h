// SectionMemory: the bytes of a section in memory, aligned to 64 bytes, which grow by appending.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace knarr {

struct FreeSection {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const;
};

class SectionMemory {
 public:
  // Throws std::bad_alloc, with nothing appended. Moves what was there.
  void append(std::span<const std::byte> bytes);

  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  void grow(std::size_t least);

  std::unique_ptr<std::byte, FreeSection> data_;
  std::size_t size_ = 0;
};

}  // namespace knarr
