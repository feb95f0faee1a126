// Which instructions this machine offers, so that one build runs anywhere.
#pragma once

namespace knarr {

// Ascending: a machine that offers a level offers those before it.
enum class CpuLevel {
  kPlain,   // what the compiler targets by default
  kAvx2,    // AVX2 and FMA
  kAvx512,  // AVX-512 F
};

// The best level of this machine, found once. Any thread.
CpuLevel cpu_level();

// "plain", "avx2" or "avx512".
const char* cpu_level_name(CpuLevel level);

}  // namespace knarr
