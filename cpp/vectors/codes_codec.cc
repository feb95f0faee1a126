#include "vectors/codes_codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "snapshot/pages.h"
#include "vectors/rows/row_format.h"

namespace knarr {
namespace {

constexpr std::string_view kSection = "engine.codes";
constexpr std::size_t kHeaderBytes = 64;
constexpr std::uint16_t kExponent = 0x7F80;  // of a bfloat16: all ones where it is not finite
constexpr std::size_t kBatchChunks = 32;     // coded together, by all threads

std::string header(std::size_t dim, std::size_t chunks) {
  Encoder out;
  out.u32(kCodesVersion);
  out.u32(static_cast<std::uint32_t>(dim));
  out.u64(chunks);
  std::string bytes = out.bytes();
  bytes.resize(kHeaderBytes, '\0');
  return bytes;
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

bool is_step(float x) { return std::isfinite(x) && x >= 0; }

bool is_centre(const std::byte* row, std::size_t dim) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(row);
  return *reinterpret_cast<const float*>(row + bfloat16_factor_at(dim)) == 1 &&
         std::all_of(halves, halves + dim,
                     [](std::uint16_t half) { return (half & kExponent) != kExponent; });
}

bool is_sound(const ChunkView& chunk) {
  const ChunkTerms& terms = chunk.terms();
  return is_step(terms.factor_step) && std::isfinite(terms.offset_low) &&
         is_step(terms.offset_step) && is_step(terms.spread) && is_step(terms.rounding) &&
         is_step(terms.centre_length2) && is_centre(chunk.centre(), chunk.shape->dim);
}

}  // namespace

void save_codes(const VectorView& view, const RowSet& kept, SnapshotWriter& writer) {
  const CodeView& codes = view.codes();
  const std::size_t chunks = kept.size() / kChunkRows;
  if (codes.chunks() == 0 || chunks == 0) return;
  PagedSection section(writer, kSection, codes.coder().shape().size_bytes);
  const std::string head = header(view.dim(), chunks);
  section.append(std::as_bytes(std::span(head)));
  section.start();
  const std::size_t unchanged = unchanged_chunks(codes, kept);
  for (std::size_t c = 0; c < unchanged; ++c) {
    section.append({codes.chunk(c).data, codes.coder().shape().size_bytes});
  }
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

AdoptedCodes load_codes(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                        std::size_t rows) {
  if (dim < kLeastCodedDim || !snapshot->has(kSection)) return {};
  const ChunkShape shape(dim);
  const auto is_chunk = [shape](ByteSpan page) {
    return page.size() == shape.size_bytes && is_sound({page.data(), &shape});
  };
  const OpenedSection opened =
      open_paged(snapshot, kSection, kHeaderBytes, shape.size_bytes, is_chunk);
  const ByteSpan bytes = opened.bytes;
  const std::string place = snapshot->path() + ": section " + std::string(kSection);
  Decoder in(bytes, place);
  if (in.u32() != kCodesVersion) return {};
  if (in.u32() != dim) snapshot->corrupt(kSection, "codes of another dimension");
  const std::uint64_t chunks = in.count(shape.size_bytes);
  if (bytes.size() != kHeaderBytes + chunks * shape.size_bytes || chunks > rows / kChunkRows) {
    snapshot->corrupt(kSection, "its size does not fit the rows");
  }
  const std::byte* data = bytes.data() + kHeaderBytes;
  for (std::uint64_t c = 0; c < chunks && opened.pages == nullptr; ++c) {
    if (!is_sound({data + c * shape.size_bytes, &shape})) {
      snapshot->corrupt(kSection, "a chunk whose numbers are not finite");
    }
  }
  return {data, chunks, snapshot, opened.pages};
}

}  // namespace knarr
