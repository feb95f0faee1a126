#include "vectors/codes/estimate.h"

namespace knarr {
namespace {

bool has_wide_bytes() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  return __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

}  // namespace

const BoundKernel* bound_kernel(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAvx512:
      return has_wide_bytes() ? kBoundAvx512 : kBoundAvx2;
    case CpuLevel::kAvx2:
      return kBoundAvx2;
    case CpuLevel::kPlain:
      break;
  }
  return kBoundNeon != nullptr ? kBoundNeon : kBoundPlain;
}

const BoundKernel& bound_kernel() {
  static const BoundKernel* const best = bound_kernel(cpu_level());
  return *best;
}

}  // namespace knarr
