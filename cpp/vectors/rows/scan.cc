#include "vectors/rows/score_kernel.h"

namespace knarr {
namespace {

const ScanKernels* variants(CpuLevel level) {
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

}  // namespace

const ScoreKernel* score_kernel(CpuLevel level, Precision rows) {
  const ScanKernels* kernels = variants(level);
  if (kernels == nullptr) return nullptr;
  switch (rows) {
    case Precision::kBfloat16:
      return &kernels->bfloat16;
    case Precision::kInt8:
      return &kernels->int8;
    case Precision::kFloat32:
      break;
  }
  return &kernels->float32;
}

const ScoreKernel& score_kernel(Precision rows) {
  static const CpuLevel level = cpu_level();
  return *score_kernel(level, rows);
}

}  // namespace knarr
