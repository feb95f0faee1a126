#include "vectors/graph/graph_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/error.h"
#include "base/memory.h"

namespace knarr {
namespace {

constexpr std::string_view kSection = "engine.graph";
constexpr std::size_t kHeaderBytes = 256;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// Rows by their numbers in the file.
class NewRows {
 public:
  explicit NewRows(const RowSet& kept) {
    kept.for_each_range([this](Row begin, Row end) {
      runs_.push_back({begin, end, count_});
      count_ += end - begin;
    });
  }
  Row operator()(Row row) const {  // kNoRow: left out
    const auto after = std::ranges::upper_bound(runs_, row, {}, &Run::begin);
    if (row == kNoRow || after == runs_.begin()) return kNoRow;
    const Run& run = *(after - 1);
    return row < run.end ? run.number + (row - run.begin) : kNoRow;
  }
  Row below(Row row) const {  // how many rows below this one go into the file
    Row count = 0;
    for (const Run& run : runs_) count += std::min(run.end, std::max(row, run.begin)) - run.begin;
    return count;
  }

 private:
  struct Run {
    Row begin, end, number;
  };
  std::vector<Run> runs_;
  Row count_ = 0;
};

struct Head {
  std::uint64_t slots, left_out;
  Row rows_end;
  GraphTuning tuning;
};

std::string encode_head(const Head& head, std::size_t numbers) {
  Encoder out;
  out.u32(kGraphVersion);
  out.u32(static_cast<std::uint32_t>(numbers));
  out.u64(head.slots);
  out.u64(head.left_out);
  out.u32(head.rows_end);
  out.u64(head.tuning.slots());
  for (const GraphEffort& effort : head.tuning.efforts()) {
    out.u32(static_cast<std::uint32_t>(effort.expansion));
    out.u64(bits(effort.recall));
    out.u64(bits(effort.compared));
  }
  std::string bytes = out.bytes();
  bytes.resize(kHeaderBytes, '\0');
  return bytes;
}

// False for a head of another version or of other rows.
bool decode_head(Decoder& in, std::size_t numbers, std::size_t rows, Head& head) {
  if (in.u32() != kGraphVersion || in.u32() != numbers) return false;
  head.slots = in.u64();
  head.left_out = in.u64();
  head.rows_end = in.u32();
  const std::uint64_t measured = in.u64();
  GraphTuning::Efforts efforts;
  for (std::size_t i = 0; i < efforts.size(); ++i) {
    GraphEffort& effort = efforts[i];
    effort.expansion = in.u32();
    effort.recall = std::bit_cast<double>(in.u64());
    effort.compared = std::bit_cast<double>(in.u64());
    const bool is_sound = effort.expansion == kGraphExpansions[i] && effort.recall >= 0 &&
                          effort.recall <= 1 && effort.compared >= 0 &&
                          std::isfinite(effort.compared);
    if (!is_sound) return false;
  }
  head.tuning = GraphTuning(measured, efforts);
  return head.slots > 0 && head.slots < kNoRow && head.left_out < head.slots &&
         head.rows_end <= rows;
}

}  // namespace

void GraphCodec::save(const Graph& graph, const RowSet& kept, SnapshotWriter& writer) {
  const NewRows numbers(kept);
  std::vector<Row> rows;
  std::vector<Slot> left_out;
  for (Slot slot = 0; slot < graph.size(); ++slot) {
    rows.push_back(numbers(graph.row(slot)));
    if (rows.back() == kNoRow) left_out.push_back(slot);
  }
  if (left_out.size() * kMostLeftOut > graph.size() || left_out.size() == graph.size()) return;
  const QuantisedShape& shape = graph.shape();
  const std::string head =
      encode_head({graph.size(), left_out.size(), numbers.below(graph.rows_end()), graph.tuning()},
                  shape.numbers);
  writer.begin(kSection);
  writer.append(std::as_bytes(std::span(head)));
  writer.append(std::as_bytes(std::span(rows)));
  for (const Slot slot : left_out) writer.append({graph.quantised_row(slot), shape.size_bytes});
  graph.links().write([&](ByteSpan piece) { writer.append(piece); });
  writer.end();
}

GraphPtr GraphCodec::load(const Snapshot& snapshot, std::size_t rows, const VectorView& view,
                          const RowSet& live) try {
  if (!snapshot.has(kSection) || !view.has_quantised_rows()) return nullptr;
  const ByteSpan bytes = snapshot.section(kSection);
  const QuantisedShape& shape = view.quantised_shape();
  if (bytes.size() < kHeaderBytes) return nullptr;
  const std::string place = snapshot.path() + ": section " + std::string(kSection);
  Decoder in(bytes, place);
  Head head;
  if (!decode_head(in, shape.numbers, rows, head)) return nullptr;
  const std::size_t more = bytes.size() - kHeaderBytes;
  const std::size_t before = head.slots * sizeof(Row) + head.left_out * shape.size_bytes;
  if (more < before) return nullptr;
  const std::byte* at = bytes.data() + kHeaderBytes;
  auto links = GraphLinks::read(bytes.subspan(kHeaderBytes + before), head.slots);
  if (links == nullptr) return nullptr;

  std::shared_ptr<Graph> graph(new Graph(view, std::move(links)));
  graph->rows_.resize(head.slots);
  std::memcpy(graph->rows_.data(), at, head.slots * sizeof(Row));
  std::shared_ptr<std::byte> left_out;
  if (head.left_out > 0) left_out = new_segment(head.left_out * shape.size_bytes, false);
  const std::byte* lost = at + head.slots * sizeof(Row);
  std::copy_n(lost, head.left_out * shape.size_bytes, left_out.get());
  std::size_t next_lost = 0;
  RowSet held;
  Row begin = 0, end = 0;  // of the run that is being read: rows ascend
  for (std::size_t slot = 0; slot < head.slots; ++slot) {
    const Row row = graph->rows_[slot];
    if (row == kNoRow) {
      if (next_lost == head.left_out) return nullptr;
      graph->vectors_.push_back(left_out.get() + shape.size_bytes * next_lost++);
      if (!std::isfinite(shape.scale(graph->vectors_.back()))) return nullptr;
      continue;
    }
    if (row < end || row >= head.rows_end) return nullptr;
    if (row > end) {
      held.add_range(begin, end);
      begin = row;
    }
    end = row + 1;
    graph->vectors_.push_back(view.quantised_row(row));
  }
  held.add_range(begin, end);
  if (next_lost != head.left_out) return nullptr;
  if (!((live & RowSet::range(0, head.rows_end)) - held).empty()) return nullptr;
  graph->left_out_ = left_out;
  graph->rows_end_ = head.rows_end;
  graph->tuning_ = head.tuning;
  graph->tuning_.measure_time(*graph);
  return graph;
} catch (const Error&) {
  return nullptr;
}

}  // namespace knarr
