// Fixed-width encoding and checksums.
#include "base/coding.h"

#include <gtest/gtest.h>

#include <random>

#include "base/crc32c.h"

namespace knarr {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Coding, RoundTrip) {
  Encoder out;
  out.u8(0xFE);
  out.u32(0xDEADBEEF);
  out.u64(0x0123456789ABCDEFu);
  out.i64(-2);
  out.f32(-1.5f);
  out.string("vik");
  out.string(std::string_view("a\0b", 3));
  Decoder in(bytes_of(out.bytes()), "test");
  EXPECT_EQ(in.u8(), 0xFE);
  EXPECT_EQ(in.u32(), 0xDEADBEEFu);
  EXPECT_EQ(in.u64(), 0x0123456789ABCDEFu);
  EXPECT_EQ(in.i64(), -2);
  EXPECT_EQ(in.f32(), -1.5f);
  EXPECT_EQ(in.string(), "vik");
  EXPECT_EQ(in.string(), std::string_view("a\0b", 3));
  in.expect_end();
}

TEST(Coding, IsLittleEndianEverywhere) {
  Encoder out;
  out.u32(0x01020304);
  EXPECT_EQ(out.bytes(), "\x04\x03\x02\x01");
}

TEST(Coding, EveryCutIsCorruption) {
  Encoder out;
  out.u32(7);
  out.string("seven");
  out.u64(9);
  for (std::size_t cut = 0; cut < out.bytes().size(); ++cut) {
    Decoder in(bytes_of(out.bytes()).first(cut), "section 'x'");
    try {
      in.u32();
      in.string();
      in.u64();
      FAIL() << "cut at " << cut;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorruption);
      EXPECT_EQ(std::string(error.what()), "section 'x': it ends too early");
    }
  }
}

TEST(Coding, CountsAreNotBelieved) {
  Encoder out;
  out.u64(UINT64_MAX / 2);
  Decoder in(bytes_of(out.bytes()), "x");
  EXPECT_THROW(in.count(8), Error);
  Encoder fits;
  fits.u64(2);
  fits.u64(0);
  fits.u64(0);
  Decoder two(bytes_of(fits.bytes()), "x");
  EXPECT_EQ(two.count(8), 2u);
  EXPECT_THROW(two.expect_end(), Error);
}

TEST(Crc32c, KnownValues) {
  // The check value of the algorithm, and two of RFC 3720.
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283u);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\0'))), 0x8A9136AAu);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\xFF'))), 0x62A8AB43u);
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc32c, VariantsAgreeAtAnyLengthAndPlace) {
  std::mt19937 random(3);
  std::string text(1000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t n = 0; n < 80; ++n) {
      const auto part = bytes_of(text).subspan(begin, n);
      ASSERT_EQ(crc32c(part), crc32c_plain(part));
    }
  }
  EXPECT_EQ(crc32c(bytes_of(text)), crc32c_plain(bytes_of(text)));
}

TEST(Crc32c, GoesOnFromAPart) {
  const std::string text = "a phrase that is cut in two";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const auto head = bytes_of(text).first(cut);
    const auto tail = bytes_of(text).subspan(cut);
    ASSERT_EQ(crc32c(tail, crc32c(head)), crc32c(bytes_of(text)));
    ASSERT_EQ(crc32c_plain(tail, crc32c_plain(head)), crc32c(bytes_of(text)));
  }
}

// Lengths around the size of one step, and parts of which either may be empty.
TEST(Crc32c, LongTextsAndTheirParts) {
  std::string text(100'000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 7 ^ i);
  const auto all = bytes_of(text);
  for (const std::size_t n : {0u, 1u, 8191u, 24575u, 24576u, 24577u, 49152u, 60000u, 100000u}) {
    ASSERT_EQ(crc32c(all.first(n)), crc32c_plain(all.first(n))) << n;
    ASSERT_EQ(crc32c(all.last(n), 77), crc32c_plain(all.last(n), 77)) << n;
    const std::uint32_t first = crc32c(all.first(n)), second = crc32c(all.subspan(n));
    ASSERT_EQ(crc32c_joined(first, second, text.size() - n), crc32c(all)) << n;
  }
}

}  // namespace
}  // namespace knarr
