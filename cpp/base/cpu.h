// Which instructions this machine offers, so that one build runs anywhere.
//
// The environment variable KNARR_CPU, read once, lowers the level: "plain", "avx2" or "avx512". It
// never raises it. It is there to compare the variants of a fast path, and so that instruction
// counts (bench/guard.py) do not depend on the machine that counts them.
#pragma once

#include <optional>
#include <string_view>

namespace knarr {

// Ascending: a machine that offers a level offers those before it.
enum class CpuLevel {
  kPlain,   // what the compiler targets by default
  kAvx2,    // AVX2 and FMA
  kAvx512,  // AVX-512 F
};

// The best level of this machine that KNARR_CPU allows, found once. Any thread. Throws Error
// kInvalidArgument when KNARR_CPU is set to anything but a level or nothing.
CpuLevel cpu_level();

// Whether this machine has, beside kAvx512, the instructions BW and VNNI of it.
bool has_vnni();

// "plain", "avx2" or "avx512".
const char* cpu_level_name(CpuLevel level);

// The level of such a name, or none.
std::optional<CpuLevel> cpu_level_named(std::string_view name);

}  // namespace knarr
