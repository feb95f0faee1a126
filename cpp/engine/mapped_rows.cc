#include "engine/mapped_rows.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace knarr {
namespace {

constexpr std::string_view kRows = "engine.rows";
constexpr std::size_t kRowBytes = 9;

constexpr std::string_view kPreviews = "engine.previews";
constexpr std::uint32_t kPreviewsVersion = 1;
constexpr std::size_t kPageBytes = std::size_t{64} << 10;

// Where the i-th end stands, or the previews behind the last.
constexpr std::size_t end_at(std::size_t i) { return 16 + i * sizeof(std::uint64_t); }

std::string place_of(const Snapshot& snapshot, std::string_view section) {
  return snapshot.path() + ": section '" + std::string(section) + "'";
}

void save_previews(std::span<const RowFacts> rows, SnapshotWriter& writer) {
  const auto is_empty = [](const RowFacts& row) { return row.preview.empty(); };
  if (std::ranges::all_of(rows, is_empty)) return;
  Encoder head;
  head.u32(kPreviewsVersion);
  head.u32(0);
  head.u64(rows.size());
  std::uint64_t end = 0;
  for (const RowFacts& row : rows) head.u64(end += row.preview.size());
  PagedSection section(writer, kPreviews, kPageBytes);
  section.append(std::as_bytes(std::span(head.bytes())));
  section.start();
  std::string some;
  for (const RowFacts& row : rows) {
    some += row.preview;
    if (some.size() < kPageBytes) continue;
    section.append(std::as_bytes(std::span(some)));
    some.clear();
  }
  section.append(std::as_bytes(std::span(some)));
  section.end();
}

}  // namespace

void save_rows(std::size_t dim, std::span<const RowFacts> rows, SnapshotWriter& writer) {
  Encoder out;
  out.u32(static_cast<std::uint32_t>(dim));
  out.u32(0);
  out.u64(rows.size());
  for (const RowFacts& row : rows) out.u32(row.node);
  for (const RowFacts& row : rows) out.u32(row.document);
  for (const RowFacts& row : rows) out.u8(static_cast<std::uint8_t>(row.kind));
  writer.add(kRows, out.bytes());
  save_previews(rows, writer);
}

std::shared_ptr<const MappedRows> MappedRows::load(
    const std::shared_ptr<const Snapshot>& snapshot) {
  const std::shared_ptr<MappedRows> rows(new MappedRows(snapshot));
  rows->load_rows();
  if (snapshot->has(kPreviews)) rows->load_previews();
  return rows;
}

void MappedRows::load_rows() {
  const std::string place = place_of(*snapshot_, kRows);
  const ByteSpan bytes = snapshot_->section(kRows);
  Decoder in(bytes, place);
  dim_ = in.u32();
  if (dim_ < 1 || dim_ > 65536) in.refuse("a dimension out of range");
  if (in.u32() != 0) in.refuse("reserved bytes that are not zero");
  const std::uint64_t rows = in.count(kRowBytes);
  if (rows >= kNoRow || in.left() != rows * kRowBytes) in.refuse("its count does not fit its size");
  size_ = static_cast<Row>(rows);
  nodes_ = bytes.data() + (bytes.size() - in.left());
  documents_ = nodes_ + rows * sizeof(std::uint32_t);
  kinds_ = documents_ + rows * sizeof(std::uint32_t);
  const auto is_none = [](std::byte kind) { return kind > std::byte{1}; };
  if (std::any_of(kinds_, kinds_ + rows, is_none)) in.refuse("an unknown kind");
}

void MappedRows::load_previews() {
  const std::size_t head = end_at(size_);
  const auto any = [](ByteSpan) { return true; };
  previews_ = open_paged(snapshot_, kPreviews, head, kPageBytes, any);
  const std::string place = place_of(*snapshot_, kPreviews);
  Decoder in(previews_.bytes, place);
  if (in.u32() != kPreviewsVersion) in.refuse("an unknown version");
  if (in.u32() != 0 || in.u64() != size_ || previews_.bytes.size() < head) {
    in.refuse("its count does not fit the rows");
  }
  if (size_ > 0 && preview_end(size_ - 1) != previews_.bytes.size() - head) {
    in.refuse("its size does not fit the rows");
  }
  for (Row row = 0; row < size_ && previews_.pages == nullptr; ++row) preview(row);
}

std::uint64_t MappedRows::preview_end(Row row) const {
  return load_little<std::uint64_t>(previews_.bytes.data() + end_at(row));
}

std::string_view MappedRows::preview(Row row) const {
  if (previews_.bytes.empty()) return {};
  const ByteSpan texts = previews_.bytes.subspan(end_at(size_));
  const std::uint64_t begin = row == 0 ? 0 : preview_end(row - 1), end = preview_end(row);
  if (begin > end || end > texts.size()) snapshot_->corrupt(kPreviews, "ends out of order");
  if (previews_.pages) {
    previews_.pages->need(begin / kPageBytes, (end + kPageBytes - 1) / kPageBytes);
  }
  const std::string_view text(reinterpret_cast<const char*>(texts.data()) + begin, end - begin);
  if (!is_utf8(text)) snapshot_->corrupt(kPreviews, "a preview that is not UTF-8");
  return text;
}

std::size_t MappedRows::size_bytes() const {
  return std::size_t{size_} * kRowBytes + previews_.bytes.size();
}

}  // namespace knarr
