// Segments are mapped rather than taken from the heap, so that the memory of a dropped store or of
// the old side of a compaction returns to the system at once, and a new segment gets new huge
// pages. Under the address sanitizer they come from its heap, which detects reads behind their
// ends.
#include "base/memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#define KNARR_MAPS 1
#endif

namespace knarr {
namespace {

constexpr std::size_t kAlignment = std::size_t{2} << 20;  // a huge page

#ifdef KNARR_MAPS

struct Unmap {
  std::size_t bytes;
  void operator()(std::byte* memory) const { munmap(memory, bytes); }
};

// Maps more than needed, and unmaps what lies before and behind the aligned part.
std::shared_ptr<std::byte> mapped(std::size_t bytes, bool huge) {
  const std::size_t all = bytes + kAlignment;
  void* const room = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(room);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % kAlignment;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, kAlignment - before);
  std::shared_ptr<std::byte> segment(begin + before, Unmap{bytes});
  if (huge) (void)madvise(begin + before, bytes, MADV_HUGEPAGE);  // a hint: refusal changes nothing
  return segment;
}

#else

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

std::shared_ptr<std::byte> mapped(std::size_t bytes, bool /*huge*/) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, Free()};
}

#endif

}  // namespace

std::shared_ptr<std::byte> new_segment(std::size_t bytes, bool huge) {
  return mapped((bytes + kAlignment - 1) / kAlignment * kAlignment, huge);
}

}  // namespace knarr
