#include "base/cpu.h"

namespace knarr {
namespace {

CpuLevel detect() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  // These also ask the operating system whether it keeps the wide registers.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f")) return CpuLevel::kAvx512;
  if (avx2) return CpuLevel::kAvx2;
#endif
  return CpuLevel::kPlain;
}

}  // namespace

CpuLevel cpu_level() {
  static const CpuLevel level = detect();
  return level;
}

const char* cpu_level_name(CpuLevel level) {
  switch (level) {
    case CpuLevel::kAvx512:
      return "avx512";
    case CpuLevel::kAvx2:
      return "avx2";
    case CpuLevel::kPlain:
      break;
  }
  return "plain";
}

}  // namespace knarr
