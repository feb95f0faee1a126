// A snapshot file: named sections of bytes, written whole and mapped back.
//
// It knows nothing of what it stores. Every byte of the file is covered by a checksum or must be
// zero, and all of it is checked before any of it is used: a file that was cut, or flipped in any
// bit, is refused with Error kCorruption naming file and section, and one from a newer knarr with
// kUnsupported naming both versions. Sections start at multiples of 64 bytes, in memory too.
//
// Threads: a writer belongs to one thread. A Snapshot is immutable. The file must not be changed
// while it is mapped; replacing it by rename, as the writer does, is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace knarr {

using ByteSpan = std::span<const std::byte>;

class SnapshotWriter {
 public:
  // Opens `path`.tmp. Throws Error kIo, also while another process writes the same snapshot.
  explicit SnapshotWriter(std::string path);
  ~SnapshotWriter();  // without finish() nothing is left behind
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Writes a section: the parts, one after the other. Names are 1 to 40 bytes and distinct.
  void add(std::string_view name, std::span<const ByteSpan> parts);
  void add(std::string_view name, std::initializer_list<ByteSpan> parts);
  void add(std::string_view name, std::string_view bytes);

  // A section in pieces: begin, any number of appends, end.
  void begin(std::string_view name);
  void append(ByteSpan bytes);
  void end();

  // Makes the snapshot durable and puts it in place of the old one, whole or not at all.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t crc;
  };
  void open_file();
  void write(ByteSpan bytes);
  void pad();
  std::string encode_table() const;

  std::string path_;
  std::string tmp_path_;
  int file_ = -1;
  std::uint64_t at_ = 0;  // bytes written
  std::vector<Entry> entries_;
  bool in_section_ = false;
};

class Snapshot {
 public:
  // Maps and validates. Throws Error kIo when the file cannot be read; otherwise as said above.
  static std::shared_ptr<const Snapshot> open(const std::string& path);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  bool has(std::string_view name) const;
  // The section's bytes, 64-byte aligned, valid while the snapshot lives. A missing one throws
  // Error kCorruption.
  ByteSpan section(std::string_view name) const;
  std::string_view section_text(std::string_view name) const;

  // For readers of sections: throws Error kCorruption naming file and section.
  [[noreturn]] void corrupt(std::string_view name, std::string_view reason) const;

  const std::string& path() const { return path_; }
  std::uint64_t size_bytes() const { return size_; }

 private:
  struct Section {
    std::string name;
    std::uint64_t offset;
    std::uint64_t size;
  };
  explicit Snapshot(std::string path) : path_(std::move(path)) {}
  void map();
  void validate();

  std::string path_;
  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::vector<Section> sections_;
};

}  // namespace knarr
