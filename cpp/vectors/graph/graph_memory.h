// Memory as USearch asks for it: null, not an exception, when there is no more.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace knarr {

// For buffers that come and go.
template <class T>
struct GraphHeap {
  using value_type = T;

  GraphHeap() = default;
  template <class U>
  GraphHeap(const GraphHeap<U>&) noexcept {}

  T* allocate(std::size_t n) noexcept {
    return static_cast<T*>(::operator new(n * sizeof(T), std::nothrow));
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory); }

  template <class U>
  bool operator==(const GraphHeap<U>&) const noexcept {
    return true;
  }
};

// For the nodes, which go all at once: pieces of a few large blocks. A copy begins with none.
class GraphTape {
 public:
  using value_type = char;

  GraphTape() = default;
  GraphTape(const GraphTape&) noexcept {}
  GraphTape(GraphTape&&) = default;
  GraphTape& operator=(const GraphTape&) = delete;
  GraphTape& operator=(GraphTape&&) = default;

  char* allocate(std::size_t bytes) noexcept try {
    if (left_ < bytes) {
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
      at_ = blocks_.back().get();
      left_ = kBlockBytes;
    }
    left_ -= bytes;
    char* piece = at_;
    at_ += bytes;
    return piece;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  void deallocate(char*, std::size_t) noexcept {}
  void reset() noexcept { *this = GraphTape(); }

  std::size_t size_bytes() const { return blocks_.size() * kBlockBytes; }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace knarr
