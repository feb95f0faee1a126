// MappedRows: the records of the rows in a snapshot, read in place.
//
//   engine.rows      u32 dimension, four zeros, u64 count, then for each row the u32 node of its
//                    object (kNoNode: its object was removed), for each the u32 node of its
//                    document (kNoNode: none), for each its u8 kind
//   engine.previews  u32 version, four zeros, u64 count, then for each row where its preview ends,
//                    u64; then the previews, UTF-8, one after the other. It is missing when no row
//                    has one.
//
// Threads: any. Loading checks everything but large previews, which are checked before first use.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/coding.h"
#include "base/types.h"
#include "snapshot/pages.h"

namespace knarr {

class MappedRows {
 public:
  // Throws Error kCorruption.
  static std::shared_ptr<const MappedRows> load(const std::shared_ptr<const Snapshot>& snapshot);

  std::size_t dim() const { return dim_; }
  Row size() const { return size_; }
  NodeId node(Row row) const { return number(nodes_, row); }
  NodeId document(Row row) const { return number(documents_, row); }
  Kind kind(Row row) const { return static_cast<Kind>(kinds_[row]); }
  // Empty when the row has none. Throws Error kCorruption when it is damaged.
  std::string_view preview(Row row) const;

  std::size_t size_bytes() const;

 private:
  explicit MappedRows(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}
  void load_rows();
  void load_previews();
  std::uint64_t preview_end(Row row) const;
  static std::uint32_t number(const std::byte* numbers, Row row) {
    return load_little<std::uint32_t>(numbers + std::size_t{row} * sizeof(std::uint32_t));
  }

  std::shared_ptr<const Snapshot> snapshot_;
  std::size_t dim_ = 0;
  Row size_ = 0;
  const std::byte* nodes_ = nullptr;
  const std::byte* documents_ = nullptr;
  const std::byte* kinds_ = nullptr;
  OpenedSection previews_;  // no bytes when there are none
};

// A row as it is to be written.
struct RowFacts {
  NodeId node;
  NodeId document;
  Kind kind;
  std::string_view preview;
};
void save_rows(std::size_t dim, std::span<const RowFacts> rows, SnapshotWriter& writer);

}  // namespace knarr
