// Load, validate, then use. Each check relies only on bytes that an earlier one has validated: the
// size of the file, the header, the table, the places of the sections, the gaps between them, and
// the sections.
#include "snapshot/snapshot.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/parallel.h"
#include "snapshot/format.h"

namespace knarr {
namespace {

namespace format = snapshot_format;

[[noreturn]] void fail_io(const std::string& path, const char* what) {
  fail(ErrorCode::kIo, path + ": cannot " + what + ": " + std::strerror(errno));
}

// Closes a descriptor; the mapping outlives it.
struct File {
  int descriptor;
  ~File() { ::close(descriptor); }
};

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;  // checked by one thread

std::uint64_t aligned(std::uint64_t at) {
  return (at + format::kAlignment - 1) / format::kAlignment * format::kAlignment;
}

bool all_zero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

std::shared_ptr<const Snapshot> Snapshot::open(const std::string& path, Check check) {
  std::shared_ptr<Snapshot> snapshot(new Snapshot(path));
  snapshot->map();
  snapshot->validate();
  if (check == Check::kNow) {
    for (const Section& section : snapshot->sections_) snapshot->check(section);
  }
  return snapshot;
}

void Snapshot::check(const Section& section) const {
  if (data_ == nullptr || section.is_checked->load(std::memory_order_acquire)) return;
  const ByteSpan bytes(data_ + section.offset, section.size);
  ask_for(bytes);
  const std::size_t pieces = (bytes.size() + kPieceBytes - 1) / kPieceBytes;
  std::vector<std::uint32_t> sums(pieces);
  const auto piece = [&](std::size_t i) {
    return bytes.subspan(i * kPieceBytes, std::min(kPieceBytes, bytes.size() - i * kPieceBytes));
  };
  parallel_for(pieces, static_cast<unsigned>(std::min<std::size_t>(pieces, max_workers())),
               [&](unsigned, std::size_t i) { sums[i] = crc32c(piece(i)); });
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < pieces; ++i) crc = crc32c_joined(crc, sums[i], piece(i).size());
  if (crc != section.crc) corrupt(section.name, "its checksum is wrong");
  section.is_checked->store(true, std::memory_order_release);
}

void Snapshot::ask_for(ByteSpan bytes) const {
  if (data_ == nullptr || bytes.empty()) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto from = static_cast<std::size_t>(bytes.data() - data_) / page * page;
  const auto size = static_cast<std::size_t>(bytes.data() + bytes.size() - (data_ + from));
  (void)::madvise(const_cast<std::byte*>(data_ + from), size, MADV_WILLNEED);  // a hint
}

Snapshot::~Snapshot() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void Snapshot::map() {
  const File file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.descriptor < 0) fail_io(path_, "open");
  struct stat info {};
  if (::fstat(file.descriptor, &info) != 0) fail_io(path_, "read");
  if (!S_ISREG(info.st_mode)) fail(ErrorCode::kIo, path_ + ": expected a regular file");
  size_ = static_cast<std::uint64_t>(info.st_size);
  if (size_ < format::kHeaderBytes) corrupt("header", "the file ends within it");
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
  if (data == MAP_FAILED) fail_io(path_, "map");
  data_ = static_cast<const std::byte*>(data);
}

void Snapshot::validate() {
  const ByteSpan file(data_, size_);
  if (std::memcmp(data_, format::kMagic, sizeof format::kMagic) != 0) {
    corrupt("header", "not a knarr snapshot");
  }
  if (load_little<std::uint32_t>(data_ + format::kHeaderCrcAt) !=
      crc32c(file.first(format::kHeaderCrcAt))) {
    corrupt("header", "its checksum is wrong");
  }
  const auto version = load_little<std::uint32_t>(data_ + format::kVersionAt);
  if (version != format::kVersion) {
    fail(ErrorCode::kUnsupported, path_ + ": snapshot format version " + std::to_string(version) +
                                      ", this knarr reads version " +
                                      std::to_string(format::kVersion) +
                                      ": make the file anew from its source");
  }
  const auto sections = load_little<std::uint32_t>(data_ + format::kSectionsAt);
  const auto table_at = load_little<std::uint64_t>(data_ + format::kTableAt);
  if (load_little<std::uint64_t>(data_ + format::kFileBytesAt) != size_) {
    corrupt("header",
            "the file has " + std::to_string(size_) + " bytes, not those it was written with");
  }
  const std::uint64_t table_bytes = std::uint64_t{sections} * format::kEntryBytes;
  if (sections > format::kMaxSections || table_at > size_ || table_bytes != size_ - table_at) {
    corrupt("table", "it does not fit the file");
  }
  const ByteSpan table = file.subspan(table_at);
  if (load_little<std::uint32_t>(data_ + format::kTableCrcAt) != crc32c(table)) {
    corrupt("table", "its checksum is wrong");
  }

  std::uint64_t at = format::kHeaderBytes;  // all bytes before this are validated
  for (std::uint32_t i = 0; i < sections; ++i) {
    const std::byte* entry = table.data() + i * format::kEntryBytes;
    const auto* name = reinterpret_cast<const char*>(entry);
    Section section{std::string(name, ::strnlen(name, format::kNameBytes)),
                    load_little<std::uint64_t>(entry + format::kEntryOffsetAt),
                    load_little<std::uint64_t>(entry + format::kEntrySizeAt),
                    load_little<std::uint32_t>(entry + format::kEntryCrcAt)};
    if (section.offset != aligned(at) || section.offset > table_at ||
        section.size > table_at - section.offset) {
      corrupt(section.name, "the table gives it a wrong place");
    }
    if (!all_zero(file.subspan(at, section.offset - at))) {
      corrupt(section.name, "the gap before it is not empty");
    }
    at = section.offset + section.size;
    sections_.push_back(std::move(section));
  }
  if (table_at != aligned(at) || !all_zero(file.subspan(at, table_at - at))) {
    corrupt("table", "the gap before it is not empty");
  }
}

bool Snapshot::has(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [&](const Section& section) { return section.name == name; });
}

const Snapshot::Section& Snapshot::find(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return section;
  }
  corrupt(name, "it is missing");
}

ByteSpan Snapshot::unchecked_section(std::string_view name) const {
  const Section& section = find(name);
  return {data_ != nullptr ? data_ + section.offset : section.memory.data(), section.size};
}

bool Snapshot::is_checked(std::string_view name) const {
  return data_ == nullptr || find(name).is_checked->load(std::memory_order_acquire);
}

ByteSpan Snapshot::section(std::string_view name) const {
  check(find(name));
  return unchecked_section(name);
}

std::string_view Snapshot::section_text(std::string_view name) const {
  const ByteSpan bytes = section(name);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void Snapshot::forget(std::string_view name) {
  std::erase_if(sections_,
                [&](const Section& section) { return data_ == nullptr && section.name == name; });
}

void Snapshot::corrupt(std::string_view name, std::string_view reason) const {
  fail(ErrorCode::kCorruption,
       path_ + ": section '" + std::string(name) + "': " + std::string(reason));
}

}  // namespace knarr
