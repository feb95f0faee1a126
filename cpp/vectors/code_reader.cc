// Chunks many of whose rows are allowed are read in blocks as they are. Of others the allowed rows
// are brought together into blocks first. What is read of a row is the same, so its bound is, to
// the bit.
#include "vectors/code_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace knarr {
namespace {

// So many rows, beside as many as are wanted, are looked at early, after the first chunk and each
// time that so many more were read: their true cosines tell sooner than estimates which rows are
// out. Where very many are wanted that does not pay.
constexpr std::size_t kEarlyRows = 16;
constexpr std::size_t kMostWantedEarly = 200;
constexpr std::uint64_t kLookAgain = 2;

constexpr std::size_t kLine = 64;

void ask_for(const std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(data + at);
}

std::size_t blocks_of(std::size_t rows) { return (rows + kBlockCodes - 1) / kBlockCodes; }

}  // namespace

CodeReader::CodeReader(const Scan& scan)
    : scan_(&scan),
      kept_(scan.queries.size(), Candidates(scan.k)),
      inner_(scan.queries.size()),
      centre_(scan.view.dim()) {}

void CodeReader::read(std::size_t begin, std::size_t end) {
  if (begin < end) want(begin, wanted_[begin % 2]);
  for (std::size_t c = begin; c < end; ++c) {
    if (c + 1 < end) want(c + 1, wanted_[(c + 1) % 2]);
    if (wanted_[c % 2].rows > 0) read_chunk(c, wanted_[c % 2]);
  }
}

// Asks for what is scattered, so that it is there when the chunk is read.
void CodeReader::want(std::size_t chunk, Wanted& out) const {
  out.rows = out.blocks = 0;
  for (std::size_t i = 0; i < kChunkBlocks; ++i) {
    out.masks[i] = scan_->allowed.mask(chunk * kChunkBlocks + i);
    out.rows += static_cast<std::size_t>(std::popcount(out.masks[i]));
    out.blocks += out.masks[i] != 0;
  }
  out.is_scattered = out.rows > 0 && kGatherCost * blocks_of(out.rows) < out.blocks;
  if (!out.is_scattered) return;
  const ChunkShape& shape = scan_->codes.coder().shape();
  const std::byte* slots = scan_->codes.slots(chunk);
  std::size_t n = 0;
  for (std::size_t i = 0; i < kChunkBlocks; ++i) {
    for (std::uint32_t left = out.masks[i]; left != 0; left &= left - 1) {
      const std::size_t row = i * kBlockCodes + static_cast<std::size_t>(std::countr_zero(left));
      ask_for(slots + row * shape.slot_bytes, shape.slot_bytes);
      out.numbers[n++] = static_cast<std::uint16_t>(row);
    }
  }
  while (n % kBlockCodes != 0) out.numbers[n++] = out.numbers[out.rows - 1];
  ask_for(scan_->codes.chunk(chunk).data + shape.terms_at, shape.size_bytes - shape.terms_at);
}

void CodeReader::read_chunk(std::size_t chunk, const Wanted& wanted) {
  const ChunkView view = scan_->codes.chunk(chunk);
  view.read_centre(centre_.data());
  const auto* centre = reinterpret_cast<const std::byte*>(centre_.data());
  scan_->floats.block(&centre, 1, scan_->queries.data(), scan_->queries.size(), scan_->view.dim(),
                      inner_.data(), 1);
  const Row first = static_cast<Row>(chunk * kChunkRows);
  if (wanted.is_scattered) {
    read_scattered(view, scan_->codes.slots(chunk), first, wanted);
  } else {
    read_runs(view, first, wanted);
  }
  if (++chunks_ == next_look_) look_early();
}

// Runs of blocks that hold any of the rows.
void CodeReader::read_runs(const ChunkView& chunk, Row first, const Wanted& wanted) {
  const auto& masks = wanted.masks;
  for (std::size_t begin = 0, end; begin < kChunkBlocks; begin = end) {
    for (end = begin + 1; end < kChunkBlocks && (masks[end] != 0) == (masks[begin] != 0);) ++end;
    if (masks[begin] == 0) continue;
    const std::size_t row = begin * kBlockCodes;
    read_part(chunk.terms(),
              {chunk.block(begin), end - begin, chunk.factors() + row, chunk.offsets() + row,
               masks.data() + begin, first + static_cast<Row>(row), nullptr});
    scanned_ += (end - begin) * kBlockCodes;
  }
}

void CodeReader::read_scattered(const ChunkView& chunk, const std::byte* slots, Row first,
                                const Wanted& wanted) {
  const std::size_t n_blocks = blocks_of(wanted.rows);
  gathered_.resize(kChunkBlocks / kGatherCost * chunk.shape->block_bytes);
  scan_->gather(slots, *chunk.shape, wanted.numbers.data(), n_blocks * kBlockCodes,
                gathered_.data(), factors_.data(), offsets_.data());
  std::array<std::uint32_t, kChunkBlocks> masks;
  masks.fill(~std::uint32_t{0});
  const std::size_t rest = wanted.rows % kBlockCodes;
  if (rest != 0) masks[n_blocks - 1] >>= kBlockCodes - rest;
  read_part(chunk.terms(), {gathered_.data(), n_blocks, factors_.data(), offsets_.data(),
                            masks.data(), first, wanted.numbers.data()});
  scanned_ += wanted.rows;
}

void CodeReader::read_part(const ChunkTerms& terms, const Part& part) {
  for (std::size_t q = 0; q < kept_.size(); q += kTileQueries) {
    read_tile(terms, part, q, std::min(kTileQueries, kept_.size() - q));
  }
}

// For n queries from q on.
void CodeReader::read_tile(const ChunkTerms& terms, const Part& part, std::size_t q,
                           std::size_t n) {
  std::array<BoundTerms, kTileQueries> bounds;
  std::array<const std::uint8_t*, kTileQueries> tables;
  std::array<float, kTileQueries> floors;
  for (std::size_t i = 0; i < n; ++i) {
    const QueryTable& table = scan_->tables[q + i];
    bounds[i] = {inner_[q + i] + terms.offset_low, terms.offset_step, terms.factor_step,
                 table.scale(), table.shift() + scan_->best * spread(terms, q + i)};
    tables[i] = table.entries();
    floors[i] = kept_[q + i].floor();
  }
  scan_->bounds.bounds_of_many(part.blocks, part.n_blocks, scan_->codes.coder().shape().code_bytes,
                               part.factors, part.offsets, tables.data(), bounds.data(),
                               floors.data(), n, upper_.data(), passing_.data());
  for (std::size_t i = 0; i < n; ++i) offer(terms, part, q + i, i);
}

// What the standard deviation of an estimate is at most, by factors.
float CodeReader::spread(const ChunkTerms& terms, std::size_t q) const {
  const float distance2 = 1 - 2 * inner_[q] + terms.centre_length2;  // |q - c|²
  return terms.spread * std::sqrt(std::max(0.0f, distance2));
}

// The rows that pass; their bounds are the i-th of a tile.
void CodeReader::offer(const ChunkTerms& terms, const Part& part, std::size_t q, std::size_t i) {
  const float width = (scan_->best + scan_->worst) * spread(terms, q) * terms.factor_step;
  const std::uint32_t* passing = passing_.data() + i * part.n_blocks;
  const float* upper = upper_.data() + i * part.n_blocks * kBlockCodes;
  for (std::size_t block = 0; block < part.n_blocks; ++block) {
    for (std::uint32_t left = passing[block] & part.masks[block]; left != 0; left &= left - 1) {
      const auto r = block * kBlockCodes + static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t row = part.numbers == nullptr ? r : part.numbers[r];
      kept_[q].offer(part.first + static_cast<Row>(row), upper[r],
                     upper[r] - width * static_cast<float>(part.factors[r]));
    }
  }
}

void CodeReader::look_early() {
  next_look_ = kLookAgain * chunks_;
  if (scan_->k > kMostWantedEarly) return;
  for (std::size_t q = 0; q < kept_.size(); ++q) {
    const std::vector<Candidate> rows = kept_[q].promising(scan_->k + kEarlyRows);
    std::vector<const std::byte*> data;
    data.reserve(rows.size());
    for (const Candidate& each : rows) data.push_back(scan_->view.data(each.row));
    std::vector<float> cosines(rows.size());
    scan_->kernel.block(data.data(), data.size(), &scan_->queries[q], 1, scan_->view.dim(),
                        cosines.data(), cosines.size());
    for (std::size_t i = 0; i < rows.size(); ++i) kept_[q].know(rows[i], cosines[i]);
  }
}

}  // namespace knarr
