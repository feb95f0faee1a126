// Chunks and slots live in segments that never move. As in store.cc, the table of segments is
// itself immutable: a writer that adds a segment makes a new table.
#include "vectors/codes/codes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>

#include "base/memory.h"
#include "base/parallel.h"
#include "vectors/codes/gather.h"
#include "vectors/rows/row_format.h"

namespace knarr {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kSegmentBytes = std::size_t{4} << 20;
constexpr std::size_t kChunksPerTask = 4;  // coded by one thread before it takes more
constexpr std::size_t kTasksPerWorker = 2;

constexpr std::size_t lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// The bytes of a row's code and its two numbers, rounded up so that a slot lies in as few cache
// lines as can be.
constexpr std::size_t slot(std::size_t code_bytes) {
  constexpr std::size_t kLeast = 16;
  const std::size_t bytes = code_bytes + 2 * sizeof(std::uint8_t);
  return bytes <= kLine ? std::max(kLeast, std::bit_ceil(bytes)) : lines(bytes);
}

unsigned workers_for(std::size_t tasks) {
  return static_cast<unsigned>(std::clamp<std::size_t>(tasks / kTasksPerWorker, 1, max_workers()));
}

}  // namespace

ChunkShape::ChunkShape(std::size_t d)
    : dim(d),
      codebook(codebook_for(d)),
      code_bytes((d + byte_dims(codebook) - 1) / byte_dims(codebook)),
      block_bytes(code_bytes * kBlockCodes),
      factors_at(lines(block_bytes * kChunkBlocks)),
      offsets_at(factors_at + kChunkRows),
      terms_at(lines(offsets_at + kChunkRows)),
      centre_at(terms_at + lines(sizeof(ChunkTerms))),
      size_bytes(centre_at + lines(bfloat16_factor_at(d) + sizeof(float))),
      slot_bytes(slot(code_bytes)) {}

namespace {

// Slots of adopted chunks, made on first use: many are never used, for only sparse scopes need
// them.
class LateSlots {
 public:
  LateSlots(std::size_t chunks, std::size_t chunk_bytes)
      : chunk_bytes_(chunk_bytes),
        memory_(chunks == 0 ? nullptr : new_segment(chunks * chunk_bytes, true)),
        is_made_(chunks) {}

  // make(slots) writes them.
  template <class F>
  const std::byte* of(std::size_t chunk, F&& make) {
    std::byte* slots = memory_.get() + chunk * chunk_bytes_;
    if (is_made_[chunk].load(std::memory_order_acquire)) return slots;
    const std::lock_guard lock(locks_[chunk % locks_.size()]);
    if (!is_made_[chunk].load(std::memory_order_relaxed)) {
      make(slots);
      is_made_[chunk].store(true, std::memory_order_release);
    }
    return slots;
  }

 private:
  std::size_t chunk_bytes_;
  std::shared_ptr<std::byte> memory_;
  std::vector<std::atomic<bool>> is_made_;
  std::array<std::mutex, 16> locks_;
};

}  // namespace

struct CodeView::Table {
  std::shared_ptr<const Coder> coder;
  AdoptedCodes front;
  std::shared_ptr<LateSlots> slot_front;
  std::vector<std::shared_ptr<std::byte>> owners;
  std::vector<const std::byte*> segments;
  std::vector<const std::byte*> slot_segments;  // also in `owners`
};

const std::byte* CodeView::slots(std::size_t chunk) const {
  const std::size_t size = kChunkRows * coder_->shape().slot_bytes;
  if (chunk < adopted_) {
    return table_->slot_front->of(
        chunk, [&](std::byte* slots) { write_slots(this->chunk(chunk), slots); });
  }
  const std::size_t at = chunk - adopted_;
  return table_->slot_segments[at / per_segment_] + at % per_segment_ * size;
}

CodeStore::CodeStore(std::size_t dim, AdoptedCodes front)
    : coder_(std::make_shared<const Coder>(dim)), adopted_(front.chunks), chunks_(front.chunks) {
  const ChunkShape& shape = coder_->shape();
  per_segment_ = std::max<std::size_t>(1, kSegmentBytes / shape.size_bytes);
  auto table = std::make_shared<CodeView::Table>();
  table->coder = coder_;
  table->front = std::move(front);
  table->slot_front = std::make_shared<LateSlots>(adopted_, kChunkRows * shape.slot_bytes);
  table_ = std::move(table);
}

void CodeStore::grow(std::size_t chunks, FindRows find) {
  if (chunks <= chunks_) return;
  reserve(chunks);
  const std::size_t tasks = (chunks - chunks_ + kChunksPerTask - 1) / kChunksPerTask;
  parallel_for(tasks, workers_for(tasks), [&](unsigned, std::size_t task) {
    std::array<const float*, kChunkRows> rows;
    std::vector<float> room;
    const std::size_t begin = chunks_ + task * kChunksPerTask;
    for (std::size_t c = begin; c < std::min(begin + kChunksPerTask, chunks); ++c) {
      find(static_cast<Row>(c * kChunkRows), rows, room);
      coder_->code(rows, writable(c));
      write_slots({writable(c), &coder_->shape()}, writable_slots(c));
    }
  });
  chunks_ = chunks;
}

std::size_t CodeStore::size_bytes() const {
  const ChunkShape& shape = coder_->shape();
  return chunks_ * (shape.size_bytes + kChunkRows * shape.slot_bytes);
}

CodeView CodeStore::view() const {
  CodeView view;
  view.table_ = table_;
  view.coder_ = coder_.get();
  view.pages_ = table_->front.pages.get();
  view.segments_ = table_->segments.data();
  view.front_ = table_->front.data;
  view.adopted_ = adopted_;
  view.chunks_ = chunks_;
  view.per_segment_ = per_segment_;
  return view;
}

void CodeStore::reserve(std::size_t chunks) {
  const std::size_t needed = (chunks - adopted_ + per_segment_ - 1) / per_segment_;
  if (needed <= segments_.size()) return;
  auto table = std::make_shared<CodeView::Table>(*table_);
  const ChunkShape& shape = coder_->shape();
  std::vector<std::byte*> segments = segments_, slot_segments = slot_segments_;
  while (segments.size() < needed) {
    const bool is_first = segments.empty() && adopted_ == 0;
    table->owners.push_back(new_segment(per_segment_ * shape.size_bytes, !is_first));
    segments.push_back(table->owners.back().get());
    table->segments.push_back(segments.back());
    table->owners.push_back(new_segment(per_segment_ * kChunkRows * shape.slot_bytes, !is_first));
    slot_segments.push_back(table->owners.back().get());
    table->slot_segments.push_back(slot_segments.back());
  }
  segments_ = std::move(segments);
  slot_segments_ = std::move(slot_segments);
  table_ = std::move(table);
}

std::byte* CodeStore::writable(std::size_t chunk) const {
  const std::size_t at = chunk - adopted_;
  return segments_[at / per_segment_] + at % per_segment_ * coder_->shape().size_bytes;
}

std::byte* CodeStore::writable_slots(std::size_t chunk) const {
  const std::size_t at = chunk - adopted_;
  return slot_segments_[at / per_segment_] +
         at % per_segment_ * kChunkRows * coder_->shape().slot_bytes;
}

}  // namespace knarr
