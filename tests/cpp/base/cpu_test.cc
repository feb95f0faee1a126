// Levels of instructions by name, and what KNARR_CPU may do.
#include "base/cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace knarr {
namespace {

TEST(Cpu, EveryLevelIsFoundByItsName) {
  for (const CpuLevel level : {CpuLevel::kPlain, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    EXPECT_EQ(cpu_level_named(cpu_level_name(level)), level);
  }
  EXPECT_FALSE(cpu_level_named("").has_value());
  EXPECT_FALSE(cpu_level_named("AVX2").has_value());
}

// The tests are also run with the variable set: it lowers the level of the whole process.
TEST(Cpu, TheEnvironmentLowersTheLevelOnly) {
  const char* wish = std::getenv("KNARR_CPU");
  if (wish == nullptr || *wish == '\0') GTEST_SKIP() << "KNARR_CPU is not set";
  EXPECT_LE(cpu_level(), *cpu_level_named(wish));
}

}  // namespace
}  // namespace knarr
