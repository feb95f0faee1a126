// The one way this engine reports failure.
//
// An Error carries a code, which becomes the Python class, and a message for a person: the value
// that was given, what was expected, and how to mend it. A call that throws has changed nothing.
#pragma once

#include <stdexcept>
#include <string>

namespace knarr {

enum class ErrorCode {
  kInvalidArgument,  // a value we refuse
  kNotFound,         // no node has this URI
  kAlreadyExists,    // a node has this URI already
  kCorruption,       // a stored file fails its checks
  kIo,               // the operating system refused to read or write
  kUnsupported,      // a construct or a file version that is not offered
  kDevice,           // a GPU is missing or failed
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// Out of line, so that call sites stay small and the throw stays off their hot path.
[[noreturn]] [[gnu::noinline, gnu::cold]] inline void fail(ErrorCode code,
                                                           const std::string& message) {
  throw Error(code, message);
}

}  // namespace knarr
