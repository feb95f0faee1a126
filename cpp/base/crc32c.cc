#include "base/crc32c.h"

#include <array>
#include <cstring>

#include "base/coding.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define KNARR_CRC32C_X86 1
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#define KNARR_CRC32C_ARM 1
#include <arm_acle.h>
#endif

namespace knarr {
namespace {

// The plain twin takes eight bytes a step: tables[k][b] is the checksum of byte b followed by k
// zero bytes, so the eight look-ups of a step do not wait for one another.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  constexpr std::uint32_t polynomial = 0x82F63B78u;  // Castagnoli's, bits reversed
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

#if defined(KNARR_CRC32C_X86)
bool has_instruction() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const std::byte* at, std::size_t n,
                                                               std::uint32_t crc) {
  std::uint64_t state = ~crc;
  for (; n >= 8; n -= 8, at += 8) state = _mm_crc32_u64(state, load_little<std::uint64_t>(at));
  auto tail = static_cast<std::uint32_t>(state);
  for (; n > 0; --n, ++at) tail = _mm_crc32_u8(tail, static_cast<unsigned char>(*at));
  return ~tail;
}
#elif defined(KNARR_CRC32C_ARM)
bool has_instruction() { return true; }

std::uint32_t by_instruction(const std::byte* at, std::size_t n, std::uint32_t crc) {
  std::uint32_t state = ~crc;
  for (; n >= 8; n -= 8, at += 8) state = __crc32cd(state, load_little<std::uint64_t>(at));
  for (; n > 0; --n, ++at) state = __crc32cb(state, static_cast<unsigned char>(*at));
  return ~state;
}
#else
bool has_instruction() { return false; }

std::uint32_t by_instruction(const std::byte* at, std::size_t n, std::uint32_t crc) {
  return crc32c_plain({at, n}, crc);
}
#endif

}  // namespace

std::uint32_t crc32c_plain(std::span<const std::byte> bytes, std::uint32_t crc) {
  const std::byte* at = bytes.data();
  std::size_t n = bytes.size();
  std::uint32_t state = ~crc;
  for (; n >= 8; n -= 8, at += 8) {
    const std::uint64_t word = load_little<std::uint64_t>(at) ^ state;
    state = 0;
    for (std::size_t k = 0; k < 8; ++k) state ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (; n > 0; --n, ++at) {
    state = (state >> 8) ^ kTables[0][(state ^ static_cast<unsigned char>(*at)) & 0xFF];
  }
  return ~state;
}

bool crc32c_is_hardware() {
  static const bool answer = has_instruction();
  return answer;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc) {
  return crc32c_is_hardware() ? by_instruction(bytes.data(), bytes.size(), crc)
                              : crc32c_plain(bytes, crc);
}

}  // namespace knarr
