#include "base/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.h"

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

CpuLevel lowered(CpuLevel found) {
  const char* wish = std::getenv("KNARR_CPU");
  if (wish == nullptr || *wish == '\0') return found;
  const std::optional<CpuLevel> level = cpu_level_named(wish);
  if (!level) {
    fail(ErrorCode::kInvalidArgument,
         "KNARR_CPU is \"" + std::string(wish) + "\"; expected plain, avx2, avx512 or nothing");
  }
  return std::min(found, *level);
}

}  // namespace

CpuLevel cpu_level() {
  static const CpuLevel level = lowered(detect());
  return level;
}

bool has_vnni() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
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

std::optional<CpuLevel> cpu_level_named(std::string_view name) {
  for (const CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (name == cpu_level_name(level)) return level;
  }
  return std::nullopt;
}

}  // namespace knarr
