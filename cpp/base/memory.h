// Memory that plain allocation does not give: huge pages, and arrays that begin at a cache line.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace knarr {

// Segments: large pieces of memory for rows, which never move.
//
// At least `bytes` bytes of new memory, at a multiple of 64. The system provides pages when they
// are first written. `huge` asks for huge pages: a large store is scanned faster in them, and a
// small one would waste memory.
std::shared_ptr<std::byte> new_segment(std::size_t bytes, bool huge);

// LineAligned: an array of plain numbers that begins at a cache line.
//
// Loads of a whole vector register then never cross two lines, which would cost a batch of queries
// a tenth of its time. The numbers are not initialised.
template <class T>
class LineAligned {
 public:
  explicit LineAligned(std::size_t n)
      : numbers_(static_cast<T*>(::operator new(n * sizeof(T), kLine))) {}

  T* get() const { return numbers_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(T* numbers) const { ::operator delete(numbers, kLine); }
  };

  std::unique_ptr<T, Free> numbers_;
};

// LargeVector: a std::vector whose large buffers are huge pages where the system has them.
//
// It is for passes over millions of entries that run once, where faulting in small pages would take
// a good part of the time.
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
