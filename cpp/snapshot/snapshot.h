// A snapshot file: named sections of bytes, written whole and mapped back.
//
// It does not know what it stores. Invariant: every byte of the file is covered by a checksum or
// must be zero, and is checked before it is used. So a file that was cut, or changed in any bit,
// throws Error kCorruption naming file and section, and one from a newer knarr throws kUnsupported
// naming both versions. Opening reads the header and the table; a section is read when it is first
// asked for, or page by page (pages.h). Sections start at multiples of 64 bytes, in memory too.
//
// Threads: a writer belongs to one thread. A Snapshot is immutable. The file must not be changed
// while it is mapped; replacing it by rename, as the writer does, is safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/section_memory.h"

namespace knarr {

using ByteSpan = std::span<const std::byte>;

class Snapshot;

class SnapshotWriter {
 public:
  // Opens `path`.tmp. Throws Error kIo, also while another process writes the same snapshot.
  explicit SnapshotWriter(std::string path);
  // Writes to memory: see finish_in_memory().
  SnapshotWriter();
  ~SnapshotWriter();  // removes the temporary file, unless finish() was called
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
  // The snapshot that was written to memory, as if it had been opened. Copies nothing.
  std::shared_ptr<Snapshot> finish_in_memory();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t crc;
  };
  bool is_in_memory() const { return tmp_path_.empty(); }
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
  std::vector<SectionMemory> memory_;  // of the entries, when there is no file
};

class Snapshot {
 public:
  // When the bytes of sections are checked. Header and table are always checked on opening.
  enum class Check {
    kNow,
    kWhenUsed,  // each section when it is first asked for
  };
  // Maps and validates. Throws Error kIo when the file cannot be read, kCorruption and
  // kUnsupported.
  static std::shared_ptr<const Snapshot> open(const std::string& path, Check check = Check::kNow);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  bool has(std::string_view name) const;
  // The section's bytes, 64-byte aligned, valid while the snapshot lives. A missing one throws
  // Error kCorruption, and so does a damaged one. Any thread; a large one is checked by several.
  ByteSpan section(std::string_view name) const;
  std::string_view section_text(std::string_view name) const;
  // The same without the check, for callers that check page by page (pages.h).
  ByteSpan unchecked_section(std::string_view name) const;
  bool is_checked(std::string_view name) const;

  // Asks the system to read bytes of a section that will be needed soon, and returns at once.
  void ask_for(ByteSpan bytes) const;

  // For readers of sections: throws Error kCorruption naming file and section.
  [[noreturn]] void corrupt(std::string_view name, std::string_view reason) const;

  // Frees a section of a snapshot in memory. Does nothing for a file.
  void forget(std::string_view name);

  const std::string& path() const { return path_; }
  std::uint64_t size_bytes() const { return size_; }

 private:
  friend class SnapshotWriter;
  struct Section {
    std::string name;
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t crc = 0;
    SectionMemory memory = {};  // when there is no file
    std::unique_ptr<std::atomic<bool>> is_checked = std::make_unique<std::atomic<bool>>(false);
  };
  explicit Snapshot(std::string path) : path_(std::move(path)) {}
  void map();
  void validate();
  void check(const Section& section) const;
  const Section& find(std::string_view name) const;

  std::string path_;
  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::vector<Section> sections_;
};

}  // namespace knarr
