#include "vectors/store_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "snapshot/pages.h"
#include "vectors/rows/row_format.h"

namespace knarr {
namespace {

constexpr std::string_view kFormerInt8Section = "engine.int8";
constexpr std::string_view kShortSection = "engine.short";
constexpr std::string_view kCodesSection = "engine.codes";
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kTaskRows = 4096;   // vectors checked by one thread
constexpr std::size_t kBatchChunks = 32;  // coded together, by all threads

static_assert(std::endian::native == std::endian::little, "sections are mapped as they are stored");

std::string_view section_of(Precision precision) {
  switch (precision) {
    case Precision::kBfloat16:
      return "engine.bfloat16";
    case Precision::kInt8:
      return "engine.int8.2";
    case Precision::kFloat32:
      break;
  }
  return "engine.vectors";
}

void append_header(PagedSection& section, std::uint32_t version, std::size_t dim,
                   std::uint64_t count) {
  Encoder out;
  out.u32(version);
  out.u32(static_cast<std::uint32_t>(dim));
  out.u64(count);
  std::string bytes = out.bytes();
  bytes.resize(kHeaderBytes, '\0');
  section.append(std::as_bytes(std::span(bytes)));
}

// Appends the rows `kept`, of row_bytes each; data(row) is where row and its neighbours lie.
template <class Data>
void append_rows(const VectorView& view, const RowSet& kept, std::size_t row_bytes, Data&& data,
                 PagedSection& section) {
  kept.for_each_range([&](Row begin, Row end) {
    while (begin < end) {
      const Row n = std::min(view.contiguous(begin), end - begin);
      section.append({data(begin), n * row_bytes});
      begin += n;
    }
  });
}

// The content of a section behind its header.
struct Items {
  ByteSpan bytes;
  std::uint64_t count = 0;
  std::shared_ptr<const CheckedPages> pages;
};

// Opens a section with a header: items of item_bytes each, of which fits(count) says whether there
// may be so many. Nothing when its version is another. A file without page sums is checked at once.
std::optional<Items> open_items(const std::shared_ptr<const Snapshot>& snapshot,
                                std::string_view section, std::uint32_t version, std::size_t dim,
                                std::size_t item_bytes, std::size_t page_bytes,
                                const std::function<bool(ByteSpan)>& is_sound,
                                const std::function<bool(std::uint64_t)>& fits) {
  const OpenedSection opened = open_paged(snapshot, section, kHeaderBytes, page_bytes, is_sound);
  const std::string place = snapshot->path() + ": section " + std::string(section);
  Decoder in(opened.bytes, place);
  if (in.u32() != version) return std::nullopt;
  if (in.u32() != dim) snapshot->corrupt(section, "its dimension is another");
  const std::uint64_t count = in.count(item_bytes);
  if (!fits(count) || opened.bytes.size() != kHeaderBytes + count * item_bytes) {
    snapshot->corrupt(section, "its size does not fit the rows");
  }
  const ByteSpan bytes = opened.bytes.subspan(kHeaderBytes);
  if (opened.pages == nullptr && !is_sound(bytes)) {
    snapshot->corrupt(section, "a number that is not finite, or is no length");
  }
  return Items{bytes, count, opened.pages};
}

// is_sound for pages of items that follow each other.
template <class IsItem>
auto each_item(std::size_t item_bytes, IsItem is_item) {
  return [item_bytes, is_item](ByteSpan page) {
    for (std::size_t at = 0; at + item_bytes <= page.size(); at += item_bytes) {
      if (!is_item(page.data() + at)) return false;
    }
    return page.size() % item_bytes == 0;
  };
}

bool is_length(float x) { return std::isfinite(x) && x >= 0; }

bool is_centre(const std::byte* row, std::size_t dim) {
  constexpr std::uint16_t kExponent = 0x7F80;  // of a bfloat16: all ones where it is not finite
  const auto* halves = reinterpret_cast<const std::uint16_t*>(row);
  return *reinterpret_cast<const float*>(row + bfloat16_factor_at(dim)) == 1 &&
         std::all_of(halves, halves + dim,
                     [](std::uint16_t half) { return (half & kExponent) != kExponent; });
}

bool is_sound(const ChunkView& chunk) {
  const ChunkTerms& terms = chunk.terms();
  return is_length(terms.factor_step) && std::isfinite(terms.offset_low) &&
         is_length(terms.offset_step) && is_length(terms.spread) && is_length(terms.rounding) &&
         is_length(terms.centre_length2) && is_centre(chunk.centre(), chunk.shape->dim);
}

// The chunks in front that hold the same rows in the file as now.
std::size_t unchanged_chunks(const CodeView& codes, const RowSet& kept) {
  Row same = 0;  // rows 0 to same - 1 keep their numbers
  kept.for_each_range([&same](Row begin, Row end) {
    if (begin == 0) same = end;
    return false;
  });
  return std::min<std::size_t>(codes.chunks(), same / kChunkRows);
}

// Codes chunks [begin, end) of the file, which holds `rows`, and appends them.
void append_coded(const VectorView& view, std::span<const Row> rows, std::size_t begin,
                  std::size_t end, PagedSection& section) {
  const Coder& coder = view.codes().coder();
  const std::size_t size = coder.shape().size_bytes;
  const std::shared_ptr<std::byte> memory = new_segment(kBatchChunks * size, false);
  for (; begin < end; begin += kBatchChunks) {
    const std::size_t n = std::min(kBatchChunks, end - begin);
    parallel_for(n, max_workers(), [&](unsigned, std::size_t i) {
      std::array<const float*, kChunkRows> vectors;
      std::vector<float> room(kChunkRows * view.dim());
      for (std::size_t r = 0; r < kChunkRows; ++r) {
        vectors[r] = view.format().floats(view.data(rows[(begin + i) * kChunkRows + r]),
                                          room.data() + r * view.dim());
      }
      coder.code(vectors, memory.get() + i * size);
    });
    section.append({memory.get(), n * size});
  }
}

}  // namespace

void save_vectors(const VectorView& view, const RowSet& kept, SnapshotWriter& writer) {
  const RowFormat& format = view.format();
  PagedSection section(writer, section_of(format.precision()),
                       format.row_bytes() << page_shift(format));
  section.start();
  append_rows(
      view, kept, format.row_bytes(), [&](Row row) { return view.data(row); }, section);
  section.end();
}

void save_quantised_rows(const VectorView& view, const RowSet& kept, SnapshotWriter& writer) {
  if (!view.has_quantised_rows() || kept.empty()) return;
  const std::size_t row_bytes = view.quantised_shape().size_bytes;
  PagedSection section(writer, kShortSection, row_bytes << page_shift(view.format()));
  append_header(section, kQuantisedVersion, view.dim(), kept.size());
  section.start();
  append_rows(
      view, kept, row_bytes, [&](Row row) { return view.quantised_row(row); }, section);
  section.end();
}

void save_codes(const VectorView& view, const RowSet& kept, SnapshotWriter& writer) {
  const CodeView& codes = view.codes();
  const std::size_t chunks = kept.size() / kChunkRows;
  if (codes.chunks() == 0 || chunks == 0) return;
  const std::size_t chunk_bytes = codes.coder().shape().size_bytes;
  PagedSection section(writer, kCodesSection, chunk_bytes);
  append_header(section, kCodesVersion, view.dim(), chunks);
  section.start();
  const std::size_t unchanged = unchanged_chunks(codes, kept);
  for (std::size_t c = 0; c < unchanged; ++c) section.append({codes.chunk(c).data, chunk_bytes});
  if (unchanged < chunks) {
    std::vector<Row> rows;
    rows.reserve(kept.size());
    kept.for_each_range([&](Row begin, Row end) {
      for (Row row = begin; row < end; ++row) rows.push_back(row);
    });
    append_coded(view, rows, unchanged, chunks, section);
  }
  section.end();
}

Precision stored_precision(const Snapshot& snapshot) {
  std::optional<Precision> found;
  for (const Precision each : {Precision::kFloat32, Precision::kBfloat16, Precision::kInt8}) {
    if (!snapshot.has(section_of(each))) continue;
    if (found) snapshot.corrupt(section_of(each), "vectors in two precisions");
    found = each;
  }
  if (!found && snapshot.has(kFormerInt8Section)) {
    fail(ErrorCode::kUnsupported, snapshot.path() +
                                      ": vectors of int8 in version 1 of their form, this knarr "
                                      "reads version 2: make the file anew from its source");
  }
  return found.value_or(Precision::kFloat32);  // whose section is then missed by name
}

AdoptedVectors load_vectors(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                            std::size_t rows) {
  const RowFormat format(stored_precision(*snapshot), dim);
  const std::string_view section = section_of(format.precision());
  const std::size_t row_bytes = format.row_bytes();
  const auto are_rows =
      each_item(row_bytes, [format](const std::byte* row) { return format.is_sound(row); });
  if (snapshot->unchecked_section(section).size() != std::uint64_t{rows} * row_bytes) {
    snapshot->section(section);  // which may say more
    snapshot->corrupt(section, "its size does not fit the rows");
  }
  const OpenedSection opened =
      open_paged(snapshot, section, 0, row_bytes << page_shift(format), are_rows);
  const ByteSpan bytes = opened.bytes;
  if (opened.pages == nullptr) {
    const std::size_t tasks = (rows + kTaskRows - 1) / kTaskRows;
    const auto workers = static_cast<unsigned>(std::min<std::size_t>(tasks, max_workers()));
    parallel_for(tasks, workers, [&](unsigned, std::size_t task) {
      const std::size_t begin = task * kTaskRows, n = std::min(rows - begin, kTaskRows);
      if (are_rows(bytes.subspan(begin * row_bytes, n * row_bytes))) return;
      snapshot->corrupt(section, "a vector that is not of length one");
    });
  }
  return {bytes.data(), static_cast<Row>(rows), snapshot, format.precision(), opened.pages};
}

AdoptedQuantisedRows load_quantised_rows(const std::shared_ptr<const Snapshot>& snapshot,
                                         const RowFormat& format, std::size_t rows) {
  if (format.dim() < kLeastCodedDim || !snapshot->has(kShortSection)) return {};
  const QuantisedShape shape(format.dim());
  const auto items =
      open_items(snapshot, kShortSection, kQuantisedVersion, format.dim(), shape.size_bytes,
                 shape.size_bytes << page_shift(format),
                 each_item(shape.size_bytes,
                           [shape](const std::byte* row) {
                             return is_length(shape.scale(row)) && is_length(shape.slack(row));
                           }),
                 [rows](std::uint64_t count) { return count == rows; });
  if (!items) return {};
  return {items->bytes.data(), static_cast<Row>(items->count), snapshot, items->pages};
}

AdoptedCodes load_codes(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                        std::size_t rows) {
  if (dim < kLeastCodedDim || !snapshot->has(kCodesSection)) return {};
  const ChunkShape shape(dim);
  const auto items =
      open_items(snapshot, kCodesSection, kCodesVersion, dim, shape.size_bytes, shape.size_bytes,
                 each_item(shape.size_bytes,
                           [shape](const std::byte* chunk) {
                             return is_sound({chunk, &shape});
                           }),
                 [rows](std::uint64_t count) { return count <= rows / kChunkRows; });
  if (!items) return {};
  return {items->bytes.data(), items->count, snapshot, items->pages};
}

}  // namespace knarr
