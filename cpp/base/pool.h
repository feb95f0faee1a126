// Pool: memory for many objects that are made one after the other and go one by one.
//
// It lies in chunks of huge pages where the system has them: a hundred megabytes of small pages
// take longer to come by than to fill. A chunk goes with the last object in it.
//
// Threads: take() belongs to one; give_back() is for any. Objects may outlive their pool.
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

class Pool {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { release(chunk_); }

  // Aligned like malloc's; at most half a chunk. Throws std::bad_alloc.
  void* take(std::size_t bytes) {
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    if (chunk_ == nullptr || kChunkBytes - used_ < bytes) open_chunk();
    chunk_->objects.fetch_add(1, std::memory_order_relaxed);
    void* const at = reinterpret_cast<std::byte*>(chunk_) + used_;
    used_ += bytes;
    return at;
  }

  static void give_back(void* object) {
    const std::size_t in_chunk = reinterpret_cast<std::uintptr_t>(object) % kChunkBytes;
    release(reinterpret_cast<Chunk*>(static_cast<std::byte*>(object) - in_chunk));
  }

 private:
  static constexpr std::size_t kAlign = alignof(std::max_align_t);
  struct alignas(std::max_align_t) Chunk {
    std::atomic<std::uint32_t> objects{1};  // and the pool, while it takes from here
  };

  void open_chunk() {
    void* const memory = std::aligned_alloc(kChunkBytes, kChunkBytes);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    (void)::madvise(memory, kChunkBytes, MADV_HUGEPAGE);  // a hint
#endif
    release(chunk_);
    chunk_ = new (memory) Chunk;
    used_ = sizeof(Chunk);
  }

  static void release(Chunk* chunk) {
    if (chunk != nullptr && chunk->objects.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      std::free(chunk);
    }
  }

  Chunk* chunk_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace knarr
