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

// The plain variant takes eight bytes a step ("slicing-by-8", Kounavis and Berry, ISCC 2005):
// tables[k][b] is the checksum of byte b followed by k zero bytes, so the eight look-ups of a step
// do not depend on one another.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr std::uint32_t kPolynomial = 0x82F63B78u;  // Castagnoli's, bits reversed

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
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

// Appending zero bytes changes a checksum by a linear map over GF(2): bit i becomes images[i], and
// the map of 2^k zero bytes is k squarings of that of one. With it two checksums are joined in
// O(log n), as zlib's crc32_combine does.
using Images = std::array<std::uint32_t, 32>;

constexpr std::uint32_t applied(const Images& images, std::uint32_t crc) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; crc != 0; crc >>= 1, ++i) sum ^= (crc & 1) != 0 ? images[i] : 0;
  return sum;
}

constexpr Images twice(const Images& images) {
  Images out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = applied(images, images[i]);
  return out;
}

// Element k is the map of 2^k zero bytes.
constexpr std::array<Images, 64> make_powers() {
  Images bit{kPolynomial};  // one zero bit
  for (std::size_t i = 1; i < bit.size(); ++i) bit[i] = 1u << (i - 1);
  std::array<Images, 64> powers{};
  powers[0] = twice(twice(twice(bit)));
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = twice(powers[k - 1]);
  return powers;
}

const std::array<Images, 64>& powers() {
  static const std::array<Images, 64> all = make_powers();
  return all;
}

#if defined(KNARR_CRC32C_X86)
constexpr std::size_t kStretch = 8192;

std::uint64_t load_word(const std::byte* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

bool has_instruction() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const std::byte* at, std::size_t n,
                                                               std::uint32_t crc) {
  // The instruction has a latency of three cycles and a throughput of one, so three stretches run
  // side by side.
  for (; n >= 3 * kStretch; n -= 3 * kStretch, at += 3 * kStretch) {
    std::uint64_t first = ~crc, second = ~0u, third = ~0u;
    for (std::size_t i = 0; i < kStretch; i += 8) {
      first = _mm_crc32_u64(first, load_word(at + i));
      second = _mm_crc32_u64(second, load_word(at + kStretch + i));
      third = _mm_crc32_u64(third, load_word(at + 2 * kStretch + i));
    }
    crc = crc32c_joined(~static_cast<std::uint32_t>(first), ~static_cast<std::uint32_t>(second),
                        kStretch);
    crc = crc32c_joined(crc, ~static_cast<std::uint32_t>(third), kStretch);
  }
  std::uint64_t state = ~crc;
  for (; n >= 8; n -= 8, at += 8) state = _mm_crc32_u64(state, load_word(at));
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

std::uint32_t crc32c_joined(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  for (std::size_t k = 0; second_bytes != 0; second_bytes >>= 1, ++k) {
    if ((second_bytes & 1) != 0) first = applied(powers()[k], first);
  }
  return first ^ second;
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
