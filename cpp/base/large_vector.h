// LargeVector: a std::vector whose large buffers are huge pages where the system has them.
//
// It is for passes over millions of entries that run once, where faulting in small pages would take
// a good part of the time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace knarr {

template <class T>
struct LargeAllocator {
  using value_type = T;
  static constexpr std::size_t kHuge = std::size_t{2} << 20;

  LargeAllocator() = default;
  template <class U>
  explicit(false) LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < kHuge) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kHuge - 1) / kHuge * kHuge;
    void* const memory = std::aligned_alloc(kHuge, whole);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    (void)::madvise(memory, whole, MADV_HUGEPAGE);  // a hint
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < kHuge) {
      ::operator delete(memory);
    } else {
      std::free(memory);
    }
  }
  bool operator==(const LargeAllocator&) const = default;
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace knarr
