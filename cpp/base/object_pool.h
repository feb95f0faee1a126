// ObjectPool: memory for many objects that are made one after the other and freed one by one.
//
// Objects are cut from slabs of 2 MiB, aligned to their size, so the address of an object leads to
// its slab. A slab counts its objects and is freed with the last of them. Slabs are huge pages
// where the system has them: faulting in a hundred megabytes of small pages takes longer than
// filling them.
//
// Threads: take() is for one thread, give_back() for any. Objects may outlive their pool.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace knarr {

class ObjectPool {
 public:
  static constexpr std::size_t kSlabBytes = std::size_t{2} << 20;

  ObjectPool() = default;
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;
  ~ObjectPool() { release(slab_); }

  // Aligned like malloc's; at most half a slab. Throws std::bad_alloc.
  void* take(std::size_t bytes) {
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    if (slab_ == nullptr || kSlabBytes - used_ < bytes) open_slab();
    slab_->objects.fetch_add(1, std::memory_order_relaxed);
    void* const at = reinterpret_cast<std::byte*>(slab_) + used_;
    used_ += bytes;
    return at;
  }

  static void give_back(void* object) {
    const std::size_t in_slab = reinterpret_cast<std::uintptr_t>(object) % kSlabBytes;
    release(reinterpret_cast<Slab*>(static_cast<std::byte*>(object) - in_slab));
  }

 private:
  static constexpr std::size_t kAlign = alignof(std::max_align_t);
  struct alignas(std::max_align_t) Slab {
    std::atomic<std::uint32_t> objects{
        1};  // live objects, and one for the pool while it cuts from here
  };

  void open_slab() {
    void* const memory = std::aligned_alloc(kSlabBytes, kSlabBytes);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    (void)::madvise(memory, kSlabBytes, MADV_HUGEPAGE);  // a hint
#endif
    release(slab_);
    slab_ = new (memory) Slab;
    used_ = sizeof(Slab);
  }

  static void release(Slab* slab) {
    if (slab != nullptr && slab->objects.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      std::free(slab);
    }
  }

  Slab* slab_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace knarr
