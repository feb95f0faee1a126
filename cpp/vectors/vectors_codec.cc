#include "vectors/vectors_codec.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/parallel.h"
#include "snapshot/pages.h"

namespace knarr {
namespace {

constexpr std::size_t kTaskRows = 4096;  // checked by one thread
constexpr std::string_view kFormerInt8 = "engine.int8";

static_assert(std::endian::native == std::endian::little, "vectors are mapped as they are stored");

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

}  // namespace

Precision stored_precision(const Snapshot& snapshot) {
  std::optional<Precision> found;
  for (const Precision each : {Precision::kFloat32, Precision::kBfloat16, Precision::kInt8}) {
    if (!snapshot.has(section_of(each))) continue;
    if (found) snapshot.corrupt(section_of(each), "vectors in two precisions");
    found = each;
  }
  if (!found && snapshot.has(kFormerInt8)) {
    fail(ErrorCode::kUnsupported, snapshot.path() +
                                      ": vectors of int8 in version 1 of their form, this knarr "
                                      "reads version 2: make the file anew from its source");
  }
  return found.value_or(Precision::kFloat32);  // whose section is then missed by name
}

void save_vectors(const VectorView& view, const RowSet& kept, SnapshotWriter& writer) {
  const RowFormat& format = view.format();
  PagedSection section(writer, section_of(format.precision()),
                       format.row_bytes() << page_shift(format));
  section.start();
  kept.for_each_range([&](Row begin, Row end) {
    while (begin < end) {
      const Row n = std::min(view.contiguous(begin), end - begin);
      section.append({view.data(begin), n * format.row_bytes()});
      begin += n;
    }
  });
  section.end();
}

AdoptedVectors load_vectors(const std::shared_ptr<const Snapshot>& snapshot, std::size_t dim,
                            std::size_t rows) {
  const RowFormat format(stored_precision(*snapshot), dim);
  const std::string_view section = section_of(format.precision());
  const std::size_t row_bytes = format.row_bytes();
  const auto is_sound = [format, row_bytes](ByteSpan some) {
    for (std::size_t at = 0; at < some.size(); at += row_bytes) {
      if (!format.is_sound(some.data() + at)) return false;
    }
    return true;
  };
  if (snapshot->unchecked_section(section).size() != std::uint64_t{rows} * row_bytes) {
    snapshot->section(section);  // which may say more
    snapshot->corrupt(section, "its size does not fit the rows");
  }
  const OpenedSection opened =
      open_paged(snapshot, section, 0, row_bytes << page_shift(format), is_sound);
  const ByteSpan bytes = opened.bytes;
  if (opened.pages == nullptr) {
    const std::size_t tasks = (rows + kTaskRows - 1) / kTaskRows;
    const auto workers = static_cast<unsigned>(std::min<std::size_t>(tasks, max_workers()));
    parallel_for(tasks, workers, [&](unsigned, std::size_t task) {
      const std::size_t begin = task * kTaskRows, n = std::min(rows - begin, kTaskRows);
      if (is_sound(bytes.subspan(begin * row_bytes, n * row_bytes))) return;
      snapshot->corrupt(section, "a vector that is not of length one");
    });
  }
  return {bytes.data(), static_cast<Row>(rows), snapshot, format.precision(), opened.pages};
}

}  // namespace knarr
