#include "vectors/scan.h"

namespace knarr {

ScanKernel scan_kernel(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAvx512:
      return kScanAvx512;
    case CpuLevel::kAvx2:
      return kScanAvx2;
    case CpuLevel::kPlain:
      break;
  }
  return kScanPlain;
}

ScanKernel scan_kernel() {
  static const ScanKernel best = scan_kernel(cpu_level());
  return best;
}

}  // namespace knarr
