// Sections are written as they are appended, then the table, and last the header, which says where
// the table is. All of it goes to `path`.tmp under a lock, so that two writers cannot mix, and a
// file that a killed writer left behind is overwritten.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "snapshot/format.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

namespace format = snapshot_format;

[[noreturn]] void fail_io(const std::string& path, const char* what) {
  fail(ErrorCode::kIo, path + ": cannot " + what + ": " + std::strerror(errno));
}

void write_all(int file, ByteSpan bytes, std::uint64_t at, const std::string& path) {
  while (!bytes.empty()) {
    const auto n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_io(path, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
}

ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// A rename is durable when the directory that holds the name is.
void sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) fail_io(directory, "open");
  const int result = ::fsync(file);
  const int error = errno;
  ::close(file);
  errno = error;
  // Some file systems cannot sync a directory; they have nothing to add.
  if (result != 0 && errno != EINVAL && errno != ENOTSUP) fail_io(directory, "sync");
}

}  // namespace

// Delegates, so that the destructor closes and removes the file when its first write is refused.
SnapshotWriter::SnapshotWriter(std::string path) : SnapshotWriter() {
  path_ = std::move(path);
  tmp_path_ = path_ + ".tmp";
  open_file();
  const std::string header(format::kHeaderBytes, '\0');
  write(as_bytes(header));
}

SnapshotWriter::SnapshotWriter() : path_("memory") {}

void SnapshotWriter::open_file() {
  for (;;) {
    file_ = ::open(tmp_path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0) fail_io(tmp_path_, "create");
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const bool busy = errno == EWOULDBLOCK;
      const int error = errno;
      ::close(std::exchange(file_, -1));
      if (busy) fail(ErrorCode::kIo, tmp_path_ + ": another writer is writing this snapshot");
      errno = error;
      fail_io(tmp_path_, "lock");
    }
    // The writer before us may have renamed the file that we opened: then it is no longer ours.
    struct stat opened {};
    struct stat named {};
    if (::fstat(file_, &opened) == 0 && ::stat(tmp_path_.c_str(), &named) == 0 &&
        opened.st_ino == named.st_ino && opened.st_dev == named.st_dev) {
      break;
    }
    ::close(std::exchange(file_, -1));
  }
  if (::ftruncate(file_, 0) != 0) {
    const int error = errno;
    ::close(std::exchange(file_, -1));
    errno = error;
    fail_io(tmp_path_, "truncate");
  }
}

SnapshotWriter::~SnapshotWriter() {
  if (file_ < 0) return;
  ::unlink(tmp_path_.c_str());  // while the lock is held, so that it is ours
  ::close(file_);
}

void SnapshotWriter::write(ByteSpan bytes) {
  if (file_ < 0) fail(ErrorCode::kInvalidArgument, path_ + ": the snapshot is finished");
  write_all(file_, bytes, at_, tmp_path_);
  at_ += bytes.size();
}

void SnapshotWriter::pad() {
  const std::string zeros((format::kAlignment - at_ % format::kAlignment) % format::kAlignment,
                          '\0');
  write(as_bytes(zeros));
}

void SnapshotWriter::begin(std::string_view name) {
  const bool taken = std::any_of(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return entry.name == name; });
  if (in_section_ || taken || name.empty() || name.size() > format::kNameBytes ||
      name.find('\0') != std::string_view::npos || entries_.size() == format::kMaxSections) {
    fail(ErrorCode::kInvalidArgument,
         "section '" + std::string(name) + "': expected a new name of 1 to " +
             std::to_string(format::kNameBytes) + " bytes, and no other section open");
  }
  if (is_in_memory()) {
    memory_.emplace_back();
  } else {
    pad();
  }
  entries_.push_back({std::string(name), at_, 0, 0});
  in_section_ = true;
}

void SnapshotWriter::append(ByteSpan bytes) {
  if (!in_section_) fail(ErrorCode::kInvalidArgument, "append: no section is open");
  if (is_in_memory()) {
    memory_.back().append(bytes);
    entries_.back().size += bytes.size();
    return;
  }
  write(bytes);
  entries_.back().size += bytes.size();
  entries_.back().crc = crc32c(bytes, entries_.back().crc);
}

void SnapshotWriter::end() {
  if (!in_section_) fail(ErrorCode::kInvalidArgument, "end: no section is open");
  in_section_ = false;
}

void SnapshotWriter::add(std::string_view name, std::span<const ByteSpan> parts) {
  begin(name);
  for (const ByteSpan part : parts) append(part);
  end();
}

void SnapshotWriter::add(std::string_view name, std::initializer_list<ByteSpan> parts) {
  add(name, std::span<const ByteSpan>(parts.begin(), parts.size()));
}

void SnapshotWriter::add(std::string_view name, std::string_view bytes) {
  add(name, {as_bytes(bytes)});
}

std::string SnapshotWriter::encode_table() const {
  Encoder table;
  for (const Entry& entry : entries_) {
    for (std::size_t i = 0; i < format::kNameBytes; ++i) {
      table.u8(i < entry.name.size() ? static_cast<std::uint8_t>(entry.name[i]) : 0);
    }
    table.u64(entry.offset);
    table.u64(entry.size);
    table.u32(entry.crc);
    table.u32(0);
  }
  return table.bytes();
}

std::shared_ptr<Snapshot> SnapshotWriter::finish_in_memory() {
  if (in_section_ || !is_in_memory()) {
    fail(ErrorCode::kInvalidArgument, "finish_in_memory: a section is open, or a file");
  }
  std::shared_ptr<Snapshot> snapshot(new Snapshot(path_));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    snapshot->size_ += entries_[i].size;
    snapshot->sections_.push_back(
        {std::move(entries_[i].name), 0, entries_[i].size, 0, std::move(memory_[i])});
  }
  return snapshot;
}

void SnapshotWriter::finish() {
  if (in_section_) fail(ErrorCode::kInvalidArgument, "finish: a section is open");
  pad();
  const std::uint64_t table_at = at_;
  const std::string table = encode_table();
  write(as_bytes(table));

  unsigned char header[format::kHeaderBytes] = {};
  std::memcpy(header, format::kMagic, sizeof format::kMagic);
  store_little(format::kVersion, header + format::kVersionAt);
  store_little(static_cast<std::uint32_t>(entries_.size()), header + format::kSectionsAt);
  store_little(table_at, header + format::kTableAt);
  store_little(at_, header + format::kFileBytesAt);
  store_little(crc32c(as_bytes(table)), header + format::kTableCrcAt);
  const auto* bytes = reinterpret_cast<const std::byte*>(header);
  store_little(crc32c({bytes, format::kHeaderCrcAt}), header + format::kHeaderCrcAt);
  write_all(file_, {bytes, format::kHeaderBytes}, 0, tmp_path_);

  if (::fsync(file_) != 0) fail_io(tmp_path_, "sync");
  if (::rename(tmp_path_.c_str(), path_.c_str()) != 0) fail_io(path_, "replace");
  ::close(std::exchange(file_, -1));
  sync_directory_of(path_);
}

}  // namespace knarr
