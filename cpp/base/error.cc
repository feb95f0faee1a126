#include "base/error.h"

namespace knarr {

// Out of line, so that call sites stay small and the throw stays off their hot path.
void fail(ErrorCode code, const std::string& message) { throw Error(code, message); }

}  // namespace knarr
