// A view of something callable: two words, no allocation, no ownership.
//
// For parameters only: what it refers to must outlive the call that it is handed to. It refers to
// function objects; wrap a plain function in a lambda.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace knarr {

template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<Result, F&, Args...>) FunctionRef(F&& f)
  noexcept  // implicit, so that a lambda can be an argument
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace knarr
