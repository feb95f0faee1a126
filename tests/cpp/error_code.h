// Helpers for tests of refusals.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace knarr {

// The code of the Error that `call` throws.
inline ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::kIo;
}

}  // namespace knarr
