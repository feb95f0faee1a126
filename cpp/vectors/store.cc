// The table of segments is itself immutable: when a segment is added the writer makes a new table,
// and views keep the one they were taken with. Segments hold up to kSegmentBytes. They are
// allocated as untouched pages, so an engine of fifty rows uses the memory of fifty rows; the first
// segment keeps small pages for the same reason.
#include "vectors/store.h"

#include <bit>
#include <string>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "vectors/rows/unit_vectors.h"

namespace knarr {
namespace {

constexpr std::size_t kMaxDim = 65536;
constexpr std::size_t kSegmentBytes = std::size_t{16} << 20;

std::size_t checked_dim(std::size_t dim) {
  if (dim < 1 || dim > kMaxDim) {
    fail(ErrorCode::kInvalidArgument,
         "dimension " + std::to_string(dim) + ", expected 1 to " + std::to_string(kMaxDim));
  }
  return dim;
}

unsigned shift_for(std::size_t row_bytes) {
  return static_cast<unsigned>(std::bit_width(kSegmentBytes / row_bytes)) - 1;
}

}  // namespace

struct VectorView::Table {
  AdoptedVectors front;
  std::vector<std::shared_ptr<std::byte>> owners;
  std::vector<const std::byte*> segments;
  AdoptedQuantisedRows quantised_front;
  std::vector<const std::byte*> quantised_segments;  // also in `owners`
};

VectorStore::VectorStore(std::size_t dim, Precision precision)
    : VectorStore(dim, AdoptedVectors{nullptr, 0, nullptr, precision}) {}

VectorStore::VectorStore(std::size_t dim, AdoptedVectors front, AdoptedCodes codes,
                         AdoptedQuantisedRows quantised_rows)
    : dim_(checked_dim(dim)),
      format_(front.precision, dim),
      shift_(shift_for(format_.row_bytes())),
      adopted_(front.rows),
      size_(front.rows),
      quantised_shape_(dim),
      codes_(dim, std::move(codes)) {
  if (codes_.chunks() > size_ / kChunkRows) {
    fail(ErrorCode::kInvalidArgument, std::to_string(codes_.chunks()) + " chunks of codes for " +
                                          std::to_string(size_) + " rows");
  }
  if (quantised_rows.rows != 0 && quantised_rows.rows != size_) {
    fail(ErrorCode::kInvalidArgument, std::to_string(quantised_rows.rows) + " quantised rows for " +
                                          std::to_string(size_) + " rows");
  }
  auto table = std::make_shared<VectorView::Table>();
  table->front = std::move(front);
  table->quantised_front = std::move(quantised_rows);
  quantise_adopted(*table);
  table_ = std::move(table);
  code();
}

Row VectorStore::append(std::span<const float> values, std::size_t n) {
  if (values.size() != n * dim_) {
    const bool whole = n > 0 && values.size() % n == 0;
    fail(ErrorCode::kInvalidArgument,
         whole ? "expected dimension " + std::to_string(dim_) + ", got " +
                     std::to_string(values.size() / n)
               : "expected " + std::to_string(n) + " vectors of dimension " + std::to_string(dim_) +
                     ", got " + std::to_string(values.size()) + " numbers");
  }
  if (n > kNoRow - size_) {
    fail(ErrorCode::kInvalidArgument, "an engine holds at most 4294967295 rows");
  }
  std::vector<double> lengths(n);
  for (std::size_t i = 0; i < n; ++i) {
    lengths[i] = checked_length(values.subspan(i * dim_, dim_), "vector", i);
  }
  const Row begin = size_;
  reserve(begin + static_cast<Row>(n));
  std::vector<float> unit(dim_), room(dim_);
  for (std::size_t i = 0; i < n; ++i) {
    const Row row = begin + static_cast<Row>(i);
    scale_to_unit(values.subspan(i * dim_, dim_), lengths[i], unit.data());
    format_.store(unit.data(), writable(row));
    if (!has_quantised_rows()) continue;
    quantise({format_.floats(writable(row), room.data()), dim_}, quantised_shape_,
             writable_quantised(row));
  }
  size_ = begin + static_cast<Row>(n);
  code();
  return begin;
}

void VectorStore::code() {
  if (dim_ < kLeastCodedDim) return;
  const VectorView all = view();
  codes_.grow(
      size_ / kChunkRows, [&](Row first, std::span<const float*> rows, std::vector<float>& room) {
        room.resize(rows.size() * dim_);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          rows[i] = format_.floats(all.data(first + static_cast<Row>(i)), room.data() + i * dim_);
        }
      });
}

VectorView VectorStore::view() const {
  VectorView view;
  view.table_ = table_;
  view.format_ = format_;
  view.segments_ = table_->segments.data();
  view.front_ = static_cast<const std::byte*>(table_->front.data);
  view.quantised_segments_ = table_->quantised_segments.data();
  view.quantised_front_ = table_->quantised_front.data;
  view.pages_ = table_->front.pages.get();
  view.quantised_pages_ = table_->quantised_front.pages.get();
  view.page_shift_ = page_shift(format_);
  view.quantised_shape_ = quantised_shape_;
  view.adopted_ = adopted_;
  view.size_ = size_;
  view.shift_ = shift_;
  view.dim_ = dim_;
  view.codes_ = codes_.view();
  return view;
}

std::size_t VectorStore::size_bytes() const { return std::size_t{size_} * format_.row_bytes(); }

bool VectorStore::has_quantised_rows() const {
  return dim_ >= kLeastCodedDim && format_.precision() != Precision::kInt8;
}

void VectorStore::reserve(Row rows) {
  const std::size_t capacity = std::size_t{1} << shift_;
  const std::size_t needed = (std::size_t{rows - adopted_} + capacity - 1) >> shift_;
  if (needed <= segments_.size()) return;
  auto table = std::make_shared<VectorView::Table>(*table_);
  std::vector<std::byte*> segments = segments_;
  std::vector<std::byte*> quantised_segments = quantised_segments_;
  while (segments.size() < needed) {
    const bool first = segments.empty() && adopted_ == 0;
    table->owners.push_back(new_segment(capacity * format_.row_bytes(), !first));
    segments.push_back(table->owners.back().get());
    table->segments.push_back(segments.back());
    if (!has_quantised_rows()) continue;
    table->owners.push_back(new_segment(capacity * quantised_shape_.size_bytes, !first));
    quantised_segments.push_back(table->owners.back().get());
    table->quantised_segments.push_back(quantised_segments.back());
  }
  segments_ = std::move(segments);
  quantised_segments_ = std::move(quantised_segments);
  table_ = std::move(table);
}

std::byte* VectorStore::writable_quantised(Row row) const {
  const Row at = row - adopted_;
  return quantised_segments_[at >> shift_] +
         std::size_t{at & ((Row{1} << shift_) - 1)} * quantised_shape_.size_bytes;
}

void VectorStore::quantise_adopted(VectorView::Table& table) const {
  if (!has_quantised_rows() || table.quantised_front.rows == adopted_) return;
  const auto* data = static_cast<const std::byte*>(table.front.data);
  const std::size_t size = quantised_shape_.size_bytes;
  const std::shared_ptr<std::byte> memory = new_segment(adopted_ * size, true);
  constexpr std::size_t kTaskRows = 1024;
  const std::size_t tasks = (adopted_ + kTaskRows - 1) / kTaskRows;
  const auto workers = static_cast<unsigned>(std::min<std::size_t>(tasks / 4, max_workers()));
  parallel_for(tasks, workers, [&](unsigned, std::size_t task) {
    const std::size_t end = std::min<std::size_t>((task + 1) * kTaskRows, adopted_);
    std::vector<float> room(dim_);
    for (std::size_t row = task * kTaskRows; row < end; ++row) {
      if (table.front.pages) table.front.pages->need(row >> page_shift(format_));
      const float* vector = format_.floats(data + row * format_.row_bytes(), room.data());
      quantise({vector, dim_}, quantised_shape_, memory.get() + row * size);
    }
  });
  table.quantised_front = {memory.get(), adopted_, memory};
}

std::byte* VectorStore::writable(Row row) const {
  const Row at = row - adopted_;
  return segments_[at >> shift_] + std::size_t{at & ((Row{1} << shift_) - 1)} * format_.row_bytes();
}

}  // namespace knarr
