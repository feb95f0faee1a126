// Ref: a reference-counted pointer for copy-on-write structures.
//
// T derives from RefCounted. A Ref may be copied and dropped from any thread; what it points to is
// shared, so it may be written only by a holder for which unique() is true: nobody else can reach
// it, and nobody can begin to, since a second Ref can only be made from the first.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace knarr {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) noexcept {}  // a copy is a new object: its count starts anew
  RefCounted& operator=(const RefCounted&) noexcept { return *this; }

 private:
  template <class T>
  friend class Ref;
  mutable std::atomic<std::uint32_t> count_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) noexcept : object_(object) { acquire(); }
  Ref(const Ref& other) noexcept : object_(other.object_) { acquire(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { release(); }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

  // True when this is the only Ref. The acquire pairs with the release of a Ref dropped by another
  // thread: its reads happened before our writes.
  bool unique() const noexcept {
    return object_ != nullptr && object_->count_.load(std::memory_order_acquire) == 1;
  }

 private:
  void acquire() const noexcept {
    if (object_ != nullptr) object_->count_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() const noexcept {
    if (object_ != nullptr && object_->count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete object_;
    }
  }

  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace knarr
