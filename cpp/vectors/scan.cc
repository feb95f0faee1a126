#include "vectors/scan.h"

namespace knarr {

const ScanKernel* scan_kernel(CpuLevel level) {
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

const ScanKernel& scan_kernel() {
  static const ScanKernel* const best = scan_kernel(cpu_level());
  return *best;
}

}  // namespace knarr
