// Chunks many of whose rows are allowed are read in blocks as they are. Of others the allowed rows
// are brought together into blocks first. What is read of a row is the same, so its bound is, to
// the bit.
#include "vectors/code_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "vectors/score.h"

namespace knarr {
namespace {

// About so many rows, beside as many as are wanted, are looked at early, each time that so many
// were offered: their true cosines tell sooner than estimates which rows are out. Where very many
// are wanted that does not pay.
constexpr std::size_t kEarlyRows = 4;
constexpr std::size_t kLookAgain = 512;
constexpr std::size_t kMostWantedEarly = 200;

// Chunks that are read to tell whether a query is near nothing.
constexpr std::size_t kLikelyChunks = 4;

constexpr std::size_t kLine = 64;

void ask_for(const std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(data + at);
}

std::size_t blocks_of(std::size_t rows) { return (rows + kBlockCodes - 1) / kBlockCodes; }

}  // namespace

CodeReader::CodeReader(const Scan& scan, std::uint64_t most_kept)
    : scan_(&scan),
      most_kept_(most_kept),
      looks_early_(scan.k <= kMostWantedEarly),
      kept_(scan.queries.size(), Candidates(scan.k)),
      inners_(kTogether * scan.queries.size()),
      inner_(scan.queries.size()) {}

void CodeReader::read(std::size_t begin, std::size_t end) {
  want(begin, end, wanted_[0]);
  std::size_t turn = 0;
  for (std::size_t at = begin; at < end && !is_given_up(); at += kTogether, turn = 1 - turn) {
    want(at + kTogether, end, wanted_[1 - turn]);
    const std::span<const Wanted> some(wanted_[turn].data(), std::min(kTogether, end - at));
    meet_centres(at, some);
    std::size_t met = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (some[i].rows == 0) continue;
      for (std::size_t q = 0; q < inner_.size(); ++q) inner_[q] = inners_[q * kTogether + met];
      ++met;
      read_chunk(at + i, std::min(at + i + 1, end - 1), some[i]);
    }
  }
}

// Of those chunks from `begin` on that are wanted, one after the other.
void CodeReader::meet_centres(std::size_t begin, std::span<const Wanted> some) {
  std::array<const std::byte*, kTogether> centres;
  std::size_t n = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some[i].rows > 0) centres[n++] = scan_->codes.chunk(begin + i).centre();
  }
  scan_->centres.block(centres.data(), n, scan_->queries.data(), scan_->queries.size(),
                       scan_->view.dim(), inners_.data(), kTogether);
}

// Of the next chunks, as far as there are any; the centres of those that are wanted are asked for.
void CodeReader::want(std::size_t begin, std::size_t end, Several& out) const {
  for (std::size_t i = 0; i < kTogether && begin + i < end; ++i) {
    want(begin + i, out[i]);
    if (out[i].rows == 0) continue;
    const ChunkView chunk = scan_->codes.chunk(begin + i);
    ask_for(chunk.data + chunk.shape->terms_at, chunk.shape->size_bytes - chunk.shape->terms_at);
  }
}

// Asks for what is scattered, so that it is there when the chunk is read.
void CodeReader::want(std::size_t chunk, Wanted& out) const {
  out.rows = out.blocks = 0;
  const auto first = static_cast<Row>(chunk * kChunkRows);
  if (scan_->allowed.all_of(first, first + static_cast<Row>(kChunkRows))) {
    out.rows = kChunkRows;
    out.blocks = kChunkBlocks;
    out.masks.fill(~std::uint32_t{0});
    out.is_scattered = false;
    return;
  }
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
}

void CodeReader::read_chunk(std::size_t chunk, std::size_t next, const Wanted& wanted) {
  const ChunkView view = scan_->codes.chunk(chunk);
  const Row first = static_cast<Row>(chunk * kChunkRows);
  if (wanted.is_scattered) {
    read_scattered(view, scan_->codes.slots(chunk), first, wanted);
  } else {
    read_runs(view, scan_->codes.chunk(next), first, wanted);
  }
}

// Runs of blocks that hold any of the rows; the same blocks of the next chunk are asked for.
void CodeReader::read_runs(const ChunkView& chunk, const ChunkView& next, Row first,
                           const Wanted& wanted) {
  ask_for(next.data + next.shape->factors_at, next.shape->terms_at - next.shape->factors_at);
  const auto& masks = wanted.masks;
  for (std::size_t begin = 0, end; begin < kChunkBlocks; begin = end) {
    for (end = begin + 1; end < kChunkBlocks && (masks[end] != 0) == (masks[begin] != 0);) ++end;
    if (masks[begin] == 0) continue;
    const std::size_t row = begin * kBlockCodes;
    read_part(chunk.terms(),
              {chunk.block(begin), end - begin, chunk.factors() + row, chunk.offsets() + row,
               masks.data() + begin, first + static_cast<Row>(row), nullptr, next.block(begin)});
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
                            masks.data(), first, wanted.numbers.data(), gathered_.data()});
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
  std::array<BoundTerms, kTileQueries> bounds{};
  std::array<const std::uint8_t*, kTileQueries> tables{};
  std::array<float, kTileQueries> floors{};
  for (std::size_t i = 0; i < n; ++i) {
    const QueryTable& table = scan_->tables[q + i];
    const Doubt doubt = this->doubt(terms, q + i);
    bounds[i] = {inner_[q + i] + terms.offset_low + doubt.step + scan_->best * doubt.rounding,
                 terms.offset_step, terms.factor_step * table.scale(),
                 terms.factor_step * (table.shift() + scan_->best * doubt.spread)};
    tables[i] = table.entries();
    kept_[q + i].raise(scan_->floors[q + i].value());
    floors[i] = kept_[q + i].floor();
  }
  const std::size_t code_bytes = scan_->codes.coder().shape().code_bytes;
  if (n == 1) {
    scan_->bounds.bounds(part.blocks, part.n_blocks, code_bytes, part.factors, part.offsets,
                         tables[0], bounds[0], floors[0], part.next, upper_.data(),
                         passing_.data());
  } else {
    scan_->bounds.bounds_of_many(part.blocks, part.n_blocks, code_bytes, part.factors, part.offsets,
                                 tables.data(), bounds.data(), floors.data(), n, upper_.data(),
                                 passing_.data());
  }
  for (std::size_t i = 0; i < n; ++i) offer(terms, part, q + i, i);
}

CodeReader::Doubt CodeReader::doubt(const ChunkTerms& terms, std::size_t q) const {
  const float distance2 = std::max(0.0f, 1 - 2 * inner_[q] + terms.centre_length2);  // |q - c|²
  const float table = scan_->tables[q].rounding();
  return {std::sqrt(terms.spread * terms.spread * distance2 + table * table),
          terms.rounding * std::sqrt(distance2), terms.offset_step / 2};
}

// The rows that pass; their bounds are the i-th of a tile. Where rows are looked at early, what a
// row is at worst tells nothing that their cosines do not tell soon.
void CodeReader::offer(const ChunkTerms& terms, const Part& part, std::size_t q, std::size_t i) {
  Candidates& kept = kept_[q];
  const Doubt doubt = this->doubt(terms, q);
  const float spreads = scan_->best + scan_->worst;
  const float width = spreads * doubt.spread * terms.factor_step;
  const float rounding = 2 * doubt.step + spreads * doubt.rounding;
  const std::uint32_t* passing = passing_.data() + i * part.n_blocks;
  const float* upper = upper_.data() + i * part.n_blocks * kBlockCodes;
  std::size_t n = 0;
  for (std::size_t block = 0; block < part.n_blocks; ++block) {
    for (std::uint32_t left = passing[block] & part.masks[block]; left != 0; left &= left - 1) {
      const auto r = block * kBlockCodes + static_cast<std::size_t>(std::countr_zero(left));
      const Row row = part.numbers == nullptr ? static_cast<Row>(r) : part.numbers[r];
      if (looks_early_) {
        passed_[n++] = {part.first + row, upper[r]};
      } else {
        const float lower = upper[r] - rounding - width * static_cast<float>(part.factors[r]);
        kept.offer(part.first + row, upper[r], lower);
      }
    }
  }
  kept.offer({passed_.data(), n});
  if (kept.fresh() >= kLookAgain) look_early(q);
  if (kept.size() <= most_kept_ || kept.hopeful_size() <= most_kept_) return;
  look_where_likely(q);
  kept.raise(scan_->floors[q].value());
  if (kept.hopeful_size() > most_kept_) kept.give_up();
}

// Where the query's best rows lie behind what was read, that does not tell yet which rows are out:
// so rows of the chunks whose centres are nearest are looked at, which raises the query's floor.
void CodeReader::look_where_likely(std::size_t q) const {
  const Scan alone = scan_->of(q);
  std::vector<std::pair<float, std::size_t>> chunks;
  for (std::size_t chunk = alone.first_chunk(); chunk < alone.last_chunk(); ++chunk) {
    const std::byte* centre = alone.codes.chunk(chunk).centre();
    float inner;
    alone.centres.block(&centre, 1, alone.queries.data(), 1, alone.view.dim(), &inner, 1);
    chunks.emplace_back(inner, chunk);
  }
  const std::size_t n = std::min(kLikelyChunks, chunks.size());
  std::partial_sort(chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(n), chunks.end(),
                    std::greater<>());
  CodeReader reader(alone, kChunkRows * kLikelyChunks);
  for (std::size_t i = 0; i < n; ++i) {
    reader.read(chunks[i].second, chunks[i].second + 1);
    reader.look_early(0);
  }
}

bool CodeReader::is_given_up() const {
  return std::all_of(kept_.begin(), kept_.end(), std::mem_fn(&Candidates::is_given_up));
}

void CodeReader::look_early(std::size_t q) {
  const auto score = [this, q](std::span<const Candidate> rows, float* cosines) {
    score_each(scan_->view, rows, scan_->queries[q], scan_->kernel, cosines);
  };
  kept_[q].look(scan_->k + kEarlyRows, score);
  scan_->floors[q].raise(kept_[q].floor());
}

}  // namespace knarr
