// For tests of what is refused.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace knarr {

// Of what is thrown.
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
