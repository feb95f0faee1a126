#include "vectors/short_codec.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "base/coding.h"

namespace knarr {
namespace {

constexpr std::string_view kSection = "engine.short";
constexpr std::size_t kHeaderBytes = 64;

bool is_length(float x) { return std::isfinite(x) && x >= 0; }

}  // namespace

void save_short_rows(const VectorView& view, const RowSet& kept, SnapshotWriter& writer) {
  if (!view.has_short_rows() || kept.empty()) return;
  Encoder out;
  out.u32(kShortVersion);
  out.u32(static_cast<std::uint32_t>(view.dim()));
  out.u64(kept.size());
  std::string head = out.bytes();
  head.resize(kHeaderBytes, '\0');
  writer.begin(kSection);
  writer.append(std::as_bytes(std::span(head)));
  kept.for_each_range([&](Row begin, Row end) {
    while (begin < end) {
      const Row n = std::min(view.contiguous(begin), end - begin);
      writer.append({view.short_row(begin), n * view.short_shape().size_bytes});
      begin += n;
    }
  });
  writer.end();
}

AdoptedShortRows load_short_rows(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                                 std::size_t rows) {
  if (dim < kLeastCodedDim || !snapshot->has(kSection)) return {};
  const ByteSpan bytes = snapshot->section(kSection);
  const std::string place = snapshot->path() + ": section " + std::string(kSection);
  Decoder in(bytes, place);
  if (in.u32() != kShortVersion) return {};
  if (in.u32() != dim) snapshot->corrupt(kSection, "rows of another dimension");
  const ShortShape shape(dim);
  const std::uint64_t count = in.count(shape.size_bytes);
  if (count != rows || bytes.size() != kHeaderBytes + count * shape.size_bytes) {
    snapshot->corrupt(kSection, "its size does not fit the rows");
  }
  const std::byte* data = bytes.data() + kHeaderBytes;
  for (std::uint64_t row = 0; row < count; ++row) {
    const std::byte* at = data + row * shape.size_bytes;
    if (!is_length(shape.step(at)) || !is_length(shape.slack(at))) {
      snapshot->corrupt(kSection, "a row whose step or slack is no finite length");
    }
  }
  return {data, static_cast<Row>(count), snapshot};
}

}  // namespace knarr
