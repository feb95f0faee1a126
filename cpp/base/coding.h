// Fixed-width little-endian encoding, the same on every machine.
//
// A Decoder reads untrusted bytes: each read is checked against what is left, and a count is
// believed only when its bytes are known to be there. Anything else throws Error kCorruption.
// Strings are a 32-bit length and the bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace knarr {

template <class T>
void store_little(T value, unsigned char* out) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<unsigned char>(value >> (8 * i));
}

template <class T>
T load_little(const void* bytes) {
  const auto* in = static_cast<const unsigned char*>(bytes);
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(in[i]) << (8 * i);
  return value;
}

class Encoder {
 public:
  void u8(std::uint8_t value) { put(value); }
  void u32(std::uint32_t value) { put(value); }
  void u64(std::uint64_t value) { put(value); }
  void i64(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  void f32(float value) { put(std::bit_cast<std::uint32_t>(value)); }
  void string(std::string_view value) {
    if (value.size() > UINT32_MAX) fail(ErrorCode::kInvalidArgument, "a string over 4 GiB");
    u32(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(T value) {
    unsigned char out[sizeof(T)];
    store_little(value, out);
    bytes_.append(reinterpret_cast<const char*>(out), sizeof(T));
  }

  std::string bytes_;
};

class Decoder {
 public:
  // `what` names the bytes in errors. Both must outlive the decoder.
  Decoder(std::span<const std::byte> bytes, std::string_view what) : rest_(bytes), what_(what) {}

  std::uint8_t u8() { return get<std::uint8_t>(); }
  std::uint32_t u32() { return get<std::uint32_t>(); }
  std::uint64_t u64() { return get<std::uint64_t>(); }
  std::int64_t i64() { return static_cast<std::int64_t>(get<std::uint64_t>()); }
  float f32() { return std::bit_cast<float>(get<std::uint32_t>()); }
  std::string_view string() {
    const std::size_t n = u32();
    const auto taken = bytes(n);
    return {reinterpret_cast<const char*>(taken.data()), n};
  }

  // A count of records that take at least `record_bytes` (> 0) each: never more than can be there.
  std::uint64_t count(std::size_t record_bytes) {
    const std::uint64_t n = u64();
    if (n > rest_.size() / record_bytes) refuse("a count that its bytes cannot hold");
    return n;
  }

  std::span<const std::byte> bytes(std::size_t n) {
    if (n > rest_.size()) refuse("it ends too early");
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
  }

  std::size_t left() const { return rest_.size(); }
  void expect_end() const {
    if (!rest_.empty()) refuse("bytes after its end");
  }
  [[noreturn]] void refuse(std::string_view reason) const {
    fail(ErrorCode::kCorruption, std::string(what_) + ": " + std::string(reason));
  }

 private:
  template <class T>
  T get() {
    return load_little<T>(bytes(sizeof(T)).data());
  }

  std::span<const std::byte> rest_;
  std::string_view what_;
};

}  // namespace knarr
