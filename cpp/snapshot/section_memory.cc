// On Linux the memory is mapped, because mremap grows it without copying. Large sections ask for
// huge pages, since searches scan them.
#include "snapshot/section_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace knarr {
namespace {

constexpr std::size_t kLeast = std::size_t{64} << 10;
constexpr std::size_t kHuge = std::size_t{2} << 20;

}  // namespace

#ifdef __linux__

void FreeSection::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

void SectionMemory::grow(std::size_t least) {
  std::size_t& capacity = data_.get_deleter().bytes;
  const std::size_t wanted = std::max({least, kLeast, 2 * capacity});
  const std::size_t bytes = (wanted + kLeast - 1) / kLeast * kLeast;
  std::byte* old = data_.get();
  void* memory = old == nullptr ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                : ::mremap(old, capacity, bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= kHuge) (void)::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint
  (void)data_.release();
  data_ = {static_cast<std::byte*>(memory), FreeSection{bytes}};
}

#else

void FreeSection::operator()(std::byte* memory) const { std::free(memory); }

void SectionMemory::grow(std::size_t least) {
  const std::size_t wanted = std::max({least, kLeast, 2 * data_.get_deleter().bytes});
  const std::size_t bytes = (wanted + kLeast - 1) / kLeast * kLeast;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(64, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  if (size_ > 0) std::memcpy(memory, data_.get(), size_);
  data_ = {memory, FreeSection{bytes}};
}

#endif

void SectionMemory::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > data_.get_deleter().bytes - size_) grow(size_ + bytes.size());
  std::memcpy(data_.get() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

}  // namespace knarr
