// A snapshot of any bytes: it loads or is refused as corrupt.
//
// Input: a byte of mode. Even: the rest is the file. Odd: the rest is five sections, each a 16-bit
// length and its bytes, which are put into a file whose checksums are right, so that the readers of
// sections are reached.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "edges/edges_codec.h"
#include "grep/text/text_codec.h"
#include "snapshot/format.h"
#include "snapshot/snapshot.h"

namespace {

namespace format = knarr::snapshot_format;

constexpr std::array<std::string_view, 5> kNames = {"text.bytes", "text.blocks", "edges.questions",
                                                    "edges.episodes", "edges.links"};

std::uint32_t crc_of(std::string_view bytes) {
  return knarr::crc32c(std::as_bytes(std::span(bytes)));
}

void pad(std::string& file) {
  file.append((format::kAlignment - file.size() % format::kAlignment) % format::kAlignment, '\0');
}

std::string vouched(std::string_view input) {
  std::string file(format::kHeaderBytes, '\0');
  knarr::Encoder table;
  for (const std::string_view name : kNames) {
    std::string_view section;
    if (input.size() >= 2) {
      const std::size_t length = knarr::load_little<std::uint16_t>(input.data());
      section = input.substr(2, length);
      input.remove_prefix(2 + section.size());
    }
    pad(file);
    for (std::size_t i = 0; i < format::kNameBytes; ++i) {
      table.u8(i < name.size() ? static_cast<std::uint8_t>(name[i]) : 0);
    }
    table.u64(file.size());
    table.u64(section.size());
    table.u32(crc_of(section));
    table.u32(0);
    file.append(section);
  }
  pad(file);
  const std::uint64_t table_at = file.size();
  file.append(table.bytes());
  auto* header = reinterpret_cast<unsigned char*>(file.data());
  std::memcpy(header, format::kMagic, sizeof format::kMagic);
  knarr::store_little(format::kVersion, header + format::kVersionAt);
  knarr::store_little(std::uint32_t{kNames.size()}, header + format::kSectionsAt);
  knarr::store_little(table_at, header + format::kTableAt);
  knarr::store_little(std::uint64_t{file.size()}, header + format::kFileBytesAt);
  knarr::store_little(crc_of(table.bytes()), header + format::kTableCrcAt);
  knarr::store_little(crc_of(std::string_view(file).substr(0, format::kHeaderCrcAt)),
                      header + format::kHeaderCrcAt);
  return file;
}

void load(const std::string& path) {
  try {
    const auto snapshot = knarr::Snapshot::open(path);
    for (const std::string_view name : kNames) {
      if (!snapshot->has(name)) return;
    }
    knarr::load_texts(snapshot);
    knarr::EdgeCodec::load(*snapshot);
  } catch (const knarr::Error& error) {
    if (error.code() != knarr::ErrorCode::kCorruption &&
        error.code() != knarr::ErrorCode::kUnsupported) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = data[0] % 2 == 0 ? std::string(rest) : vouched(rest);
  const int memory = ::memfd_create("snapshot", 0);
  if (memory < 0) std::abort();
  if (::write(memory, file.data(), file.size()) == static_cast<ssize_t>(file.size())) {
    load("/proc/self/fd/" + std::to_string(memory));
  }
  ::close(memory);
  return 0;
}
