// VectorStore: one unit vector of `dim` numbers per row, in row order, append-only, in one
// precision (row_format.h); and beside them, when the dimension is large enough for that to be
// faster, each vector as a quantised row (quantised_rows.h; not beside int8, which is as short) and
// as a code (codes.h).
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

// Vectors of fewer dimensions have no codes and no quantised rows.
inline constexpr std::size_t kLeastCodedDim = 64;

// Rows in memory of another owner, such as a mapped file.
struct AdoptedVectors {
  const void* data = nullptr;         // rows one after the other, 4-byte aligned
  Row rows = 0;                       // how many
  std::shared_ptr<const void> owner;  // keeps `data` alive
  Precision precision = Precision::kFloat32;
  // Pages of 2^page_shift() rows that are checked on first use; none: all are trusted.
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

  // The format().row_bytes() bytes of a row. Requires row < size(). This and the readers below
  // throw Error kCorruption for a row of a file whose page turns out to be damaged.
  const std::byte* data(Row row) const {
    if (row < adopted_) {
      if (pages_ != nullptr) pages_->need(row >> page_shift_);
      return front_ + std::size_t{row} * format_.row_bytes();
    }
    const Row at = row - adopted_;
    return segments_[at >> shift_] +
           std::size_t{at & ((Row{1} << shift_) - 1)} * format_.row_bytes();
  }
  // Asks the file for the page of a row that data() will be called for, and waits for nothing.
  void ask_for(Row row) const {
    if (row >= adopted_ || pages_ == nullptr) return;
    pages_->ask_for(row >> page_shift_, (row >> page_shift_) + 1);
  }
  // The `dim` floats of a row. Requires row < size() and float32.
  const float* row(Row row) const { return reinterpret_cast<const float*>(data(row)); }

  // The codes of the first codes().rows() rows.
  const CodeView& codes() const { return codes_; }

  // Whether every row has a quantised row; else none has: int8 rows are not read in two stages.
  bool has_quantised_rows() const {
    return dim_ >= kLeastCodedDim && format_.precision() != Precision::kInt8;
  }
  // Whether quantised rows can be read without waiting for the disk: those of a file only when each
  // of their pages was read before.
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

  // How many rows, this one included, follow each other in memory and may be read after data() and
  // quantised_row() were called for this one. Requires row < size().
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

  // A store that begins with adopted rows and has their precision. They are trusted to be finite
  // unit vectors: a row that is not may be missing from results, and harms nothing else. Codes and
  // quantised rows that they lack are made at once. Throws Error kInvalidArgument when there are
  // codes or quantised rows of other rows.
  VectorStore(std::size_t dim, AdoptedVectors front, AdoptedCodes codes = {},
              AdoptedQuantisedRows quantised_rows = {});

  std::size_t dim() const { return dim_; }
  Row size() const { return size_; }

  // Adds n rows from `values`, (n, dim) in C order, scaled to length one, then rounded, and returns
  // the first of them. Throws Error kInvalidArgument, with nothing added, when the width is wrong
  // or a vector has no direction; the message names its index in `values`.
  Row append(std::span<const float> values, std::size_t n);

  VectorView view() const;

  // Bytes of vectors: written and adopted rows.
  std::size_t size_bytes() const;

 private:
  bool has_quantised_rows() const;
  void reserve(Row rows);              // makes segments for this many rows in all
  std::byte* writable(Row row) const;  // requires a row behind the adopted ones
  std::byte* writable_quantised(Row row) const;
  void quantise_adopted(VectorView::Table& table) const;  // unless they bring quantised rows
  void code();                                            // codes the chunks that became whole

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
