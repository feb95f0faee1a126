#include "vectors/memory.h"

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace knarr {
namespace {

constexpr std::size_t kAlignment = std::size_t{2} << 20;  // a huge page

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

}  // namespace

std::shared_ptr<std::byte> new_segment(std::size_t bytes, bool huge) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  std::shared_ptr<std::byte> segment(memory, Free());
#ifdef __linux__
  if (huge) (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: refusal changes nothing
#endif
  return segment;
}

}  // namespace knarr
