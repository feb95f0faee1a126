// VectorStore: one unit vector of `dim` numbers per row, in row order, append-only, in one
// precision (row_format.h). Where the dimension is large enough for that to be faster, each vector
// stands beside it again as a code (codes.h) and as a quantised row (quantised_rows.h), which int8
// rows are already.
//
// Rows live in segments of a fixed capacity that never move, so a VectorView, taken once and read
// without locks, stays valid while the writer appends behind it. Rows mapped from a snapshot may
// stand in front without being copied.
//
// Threads: one writer at a time calls append and view. A VectorView is immutable: any number of
// threads may read it, also while the writer appends, and it keeps the memory it shows alive.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/checked_pages.h"
#include "base/types.h"
#include "vectors/codes/codes.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/row_format.h"

namespace knarr {

// Vectors of fewer numbers have no codes and no quantised rows.
inline constexpr std::size_t kLeastCodedDim = 64;

// Rows that live in memory of somebody else, such as a mapped file.
struct AdoptedVectors {
  const void* data = nullptr;         // rows one after the other, 4-byte aligned
  Row rows = 0;                       // how many
  std::shared_ptr<const void> owner;  // keeps `data` alive
  Precision precision = Precision::kFloat32;
  // Pages of 2^page_shift() rows that are yet to be checked; none: all are trusted.
  std::shared_ptr<const CheckedPages> pages = {};
};

// Their quantised rows, all or none.
struct AdoptedQuantisedRows {
  const std::byte* data = nullptr;  // one after the other, 4-byte aligned
  Row rows = 0;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const CheckedPages> pages = {};  // of as many rows as the vectors'
};

// Adopted rows are checked 2^page_shift of them at a time: about 64 KiB of vectors.
inline unsigned page_shift(const RowFormat& format) {
  constexpr std::size_t page_bytes = std::size_t{64} << 10;
  const std::size_t rows = std::max<std::size_t>(1, page_bytes / format.row_bytes());
  return static_cast<unsigned>(std::bit_width(rows)) - 1;
}

class VectorView {
 public:
  VectorView() = default;  // no rows

  Row size() const { return size_; }
  std::size_t dim() const { return dim_; }

  const RowFormat& format() const { return format_; }

  // The format().row_bytes() bytes of a row. Requires row < size(). Throws Error kCorruption for a
  // row of a file whose page turns out to be damaged, as do all that follow.
  const std::byte* data(Row row) const {
    if (row < adopted_) {
      if (pages_ != nullptr) pages_->need(row >> page_shift_);
      return front_ + std::size_t{row} * format_.row_bytes();
    }
    const Row at = row - adopted_;
    return segments_[at >> shift_] +
           std::size_t{at & ((Row{1} << shift_) - 1)} * format_.row_bytes();
  }
  // Asks for the file's page of a row that data() will be asked of, and waits for nothing.
  void ask_for(Row row) const {
    if (row >= adopted_ || pages_ == nullptr) return;
    pages_->ask_for(row >> page_shift_, (row >> page_shift_) + 1);
  }
  // The `dim` floats of a row. Requires row < size() and float32.
  const float* row(Row row) const { return reinterpret_cast<const float*>(data(row)); }

  // Of the first codes().rows() rows.
  const CodeView& codes() const { return codes_; }

  // Every row has a quantised row, or none has: int8 rows are not read in two stages.
  bool has_quantised_rows() const {
    return dim_ >= kLeastCodedDim && format_.precision() != Precision::kInt8;
  }
  // Whether reading them waits for no disk: every page of a file was read before.
  bool has_quantised_rows_at_hand() const {
    return has_quantised_rows() && (quantised_pages_ == nullptr || quantised_pages_->all());
  }
  const QuantisedShape& quantised_shape() const { return quantised_shape_; }
  // quantised_shape().size_bytes bytes. Requires row < size() and has_quantised_rows().
  const std::byte* quantised_row(Row row) const {
    if (row < adopted_) {
      if (quantised_pages_ != nullptr) quantised_pages_->need(row >> page_shift_);
      return quantised_front_ + std::size_t{row} * quantised_shape_.size_bytes;
    }
    const Row at = row - adopted_;
    return quantised_segments_[at >> shift_] +
           std::size_t{at & ((Row{1} << shift_) - 1)} * quantised_shape_.size_bytes;
  }

  // Former names, for cpp/vectors/graph until it follows.
  bool has_quantised_rows() const { return has_quantised_rows(); }
  const QuantisedShape& quantised_shape() const { return quantised_shape_; }
  const std::byte* quantised_row(Row row) const { return quantised_row(row); }

  // How many rows, this one included, follow each other in memory and may be read once this one's
  // data() and quantised_row() were asked for. Requires row < size().
  Row contiguous(Row row) const {
    if (row < adopted_) {
      const Row end = std::min(adopted_, size_);
      if (is_checked()) return end - row;
      const Row page_end = ((row >> page_shift_) + 1) << page_shift_;
      return std::min(end, page_end) - row;
    }
    const Row capacity = Row{1} << shift_;
    return std::min(capacity - ((row - adopted_) & (capacity - 1)), size_ - row);
  }

 private:
  friend class VectorStore;
  struct Table;

  bool is_checked() const {
    return (pages_ == nullptr || pages_->all()) &&
           (quantised_pages_ == nullptr || quantised_pages_->all());
  }

  std::shared_ptr<const Table> table_;  // owns what the pointers below show
  const CheckedPages* pages_ = nullptr;
  const CheckedPages* quantised_pages_ = nullptr;
  unsigned page_shift_ = 0;
  RowFormat format_{Precision::kFloat32, 0};
  const std::byte* const* segments_ = nullptr;
  const std::byte* front_ = nullptr;
  const std::byte* const* quantised_segments_ = nullptr;
  const std::byte* quantised_front_ = nullptr;
  Row adopted_ = 0;
  Row size_ = 0;
  unsigned shift_ = 0;
  std::size_t dim_ = 0;
  QuantisedShape quantised_shape_{0};
  CodeView codes_;
};

class VectorStore {
 public:
  // Throws Error kInvalidArgument unless 1 <= dim <= 65536.
  explicit VectorStore(std::size_t dim, Precision precision = Precision::kFloat32);

  // A store that begins with rows of somebody else, of whose precision it is, and which are trusted
  // to be finite unit vectors (a row that is not may be missing from results, and harms nothing
  // else).
  // What they lack in codes and quantised rows is made at once. Throws Error kInvalidArgument when
  // there are codes or quantised rows of other rows.
  VectorStore(std::size_t dim, AdoptedVectors front, AdoptedCodes codes = {},
              AdoptedQuantisedRows quantised_rows = {});

  std::size_t dim() const { return dim_; }
  Row size() const { return size_; }

  // Adds n rows from `values`, (n, dim) in C order, scaled to length one, then rounded, and returns
  // the first of them. Throws Error kInvalidArgument, with nothing added, when the width is wrong
  // or a vector has no direction; the message names its index in `values`.
  Row append(std::span<const float> values, std::size_t n);

  VectorView view() const;

  // Memory held: segments as far as they were written, and adopted rows.
  std::size_t size_bytes() const;

 private:
  bool has_quantised_rows() const;
  void reserve(Row rows);              // segments for that many rows in all
  std::byte* writable(Row row) const;  // requires a row behind the adopted ones
  std::byte* writable_quantised(Row row) const;
  void quantise_adopted(VectorView::Table& table) const;  // where they bring no quantised rows
  void code();                                            // the chunks that have become whole

  std::size_t dim_;
  RowFormat format_;
  unsigned shift_;  // a segment holds 2^shift rows
  Row adopted_ = 0;
  Row size_ = 0;
  QuantisedShape quantised_shape_;
  std::vector<std::byte*> segments_;
  std::vector<std::byte*> quantised_segments_;
  std::shared_ptr<const VectorView::Table> table_;
  CodeStore codes_;
};

}  // namespace knarr
