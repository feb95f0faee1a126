// LineAligned: an array of plain numbers that begins at a cache line.
//
// Loads of a whole vector register then never cross two lines, which would cost a batch of queries
// a tenth of its time. The numbers are not initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace knarr {

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

}  // namespace knarr
