#include "vectors/quantised_codec.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "base/coding.h"
#include "snapshot/pages.h"

namespace knarr {
namespace {

constexpr std::string_view kSection = "engine.short";
constexpr std::size_t kHeaderBytes = 64;

bool is_length(float x) { return std::isfinite(x) && x >= 0; }

}  // namespace

void save_quantised_rows(const VectorView& view, const RowSet& kept, SnapshotWriter& writer) {
  if (!view.has_quantised_rows() || kept.empty()) return;
  Encoder out;
  out.u32(kQuantisedVersion);
  out.u32(static_cast<std::uint32_t>(view.dim()));
  out.u64(kept.size());
  std::string head = out.bytes();
  head.resize(kHeaderBytes, '\0');
  const std::size_t row_bytes = view.quantised_shape().size_bytes;
  PagedSection section(writer, kSection, row_bytes << page_shift(view.format()));
  section.append(std::as_bytes(std::span(head)));
  section.start();
  kept.for_each_range([&](Row begin, Row end) {
    while (begin < end) {
      const Row n = std::min(view.contiguous(begin), end - begin);
      section.append({view.quantised_row(begin), n * row_bytes});
      begin += n;
    }
  });
  section.end();
}

AdoptedQuantisedRows load_quantised_rows(const std::shared_ptr<const Snapshot>& snapshot,
                                         const RowFormat& format, std::size_t rows) {
  const std::size_t dim = format.dim();
  if (dim < kLeastCodedDim || !snapshot->has(kSection)) return {};
  const QuantisedShape shape(dim);
  const auto is_sound = [shape](ByteSpan some) {
    for (std::size_t at = 0; at < some.size(); at += shape.size_bytes) {
      if (!is_length(shape.scale(some.data() + at))) return false;
      if (!is_length(shape.slack(some.data() + at))) return false;
    }
    return true;
  };
  const OpenedSection opened = open_paged(snapshot, kSection, kHeaderBytes,
                                          shape.size_bytes << page_shift(format), is_sound);
  const ByteSpan bytes = opened.bytes;
  const std::string place = snapshot->path() + ": section " + std::string(kSection);
  Decoder in(bytes, place);
  if (in.u32() != kQuantisedVersion) return {};
  if (in.u32() != dim) snapshot->corrupt(kSection, "rows of another dimension");
  const std::uint64_t count = in.count(shape.size_bytes);
  if (count != rows || bytes.size() != kHeaderBytes + count * shape.size_bytes) {
    snapshot->corrupt(kSection, "its size does not fit the rows");
  }
  if (opened.pages == nullptr && !is_sound(bytes.subspan(kHeaderBytes))) {
    snapshot->corrupt(kSection, "a row whose scale or slack is no finite length");
  }
  return {bytes.data() + kHeaderBytes, static_cast<Row>(count), snapshot, opened.pages};
}

}  // namespace knarr
