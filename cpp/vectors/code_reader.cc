// A chunk with many allowed rows is read in blocks as it is. The few allowed rows of a sparse chunk
// are first gathered into blocks. Either way the kernel reads the same code of a row, so its bound
// is the same to the bit.
//
// Early looks. An estimate tells little, a cosine everything: each time some hundred rows were
// offered, the most promising few are scored at once. The k-th best of the cosines known is a floor
// for all workers, and the bound kernel skips blocks that cannot reach it.
#include "vectors/code_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "vectors/rerank.h"

namespace knarr {
namespace {

constexpr std::size_t kLookAgain = 512;  // rows offered until the next early look
constexpr std::size_t kEarlyRows = 4;    // that are scored then, beside k

// A query is near nothing when more than one in kHopelessShare of the sample may be among its best,
// and so many times k that this says something. It is given up unless a look at the chunks with the
// nearest centres raises the floor.
constexpr std::uint64_t kHopelessShare = 2;
constexpr std::uint64_t kHopelessRowsPerResult = 8;
constexpr std::size_t kLikelyChunks = 4;

constexpr std::size_t kLine = 64;

void prefetch(const std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(data + at);
}

std::size_t blocks_of(std::size_t rows) { return (rows + kBlockCodes - 1) / kBlockCodes; }

}  // namespace

CodeReader::CodeReader(const CodeScan& scan, bool looks_early)
    : scan_(&scan),
      looks_early_(looks_early),
      kept_(scan.queries.size(), Candidates(scan.k)),
      inners_(kTogether * scan.queries.size()),
      inner_(scan.queries.size()) {}

void CodeReader::read_sample() {
  const SampledChunks& sample = scan_->sample;
  for (std::size_t i = 0; i < sample.runs; ++i) {
    const std::size_t begin = sample.begin + i * sample.period;
    read(begin, begin + SampledChunks::kRun, false);
  }
  for (std::size_t q = 0; q < kept_.size(); ++q) give_up_if_hopeless(q);
}

void CodeReader::read(std::size_t begin, std::size_t end, bool skips_sample) {
  want(begin, end, skips_sample, wanted_[0]);
  std::size_t turn = 0;
  for (std::size_t at = begin; at < end; at += kTogether, turn = 1 - turn) {
    want(at + kTogether, end, skips_sample, wanted_[1 - turn]);
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

// Fills `inners_`: chunks from `begin` on that are wanted follow each other there.
void CodeReader::meet_centres(std::size_t begin, std::span<const Wanted> some) {
  std::array<const std::byte*, kTogether> centres;
  std::size_t n = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some[i].rows > 0) centres[n++] = scan_->codes.chunk(begin + i).centre();
  }
  scan_->centres.block(centres.data(), n, scan_->queries.data(), scan_->queries.size(),
                       scan_->view.dim(), inners_.data(), kTogether);
}

// Tells what is wanted of the next chunks, up to `end`, and prefetches their terms and centres.
void CodeReader::want(std::size_t begin, std::size_t end, bool skips_sample, Several& out) const {
  for (std::size_t i = 0; i < kTogether && begin + i < end; ++i) {
    if (skips_sample && scan_->sample.contains(begin + i)) {
      out[i].rows = 0;
      continue;
    }
    want(begin + i, out[i]);
    if (out[i].rows == 0) continue;
    const ChunkView chunk = scan_->codes.chunk(begin + i);
    prefetch(chunk.data + chunk.shape->terms_at, chunk.shape->size_bytes - chunk.shape->terms_at);
  }
}

// Sparse rows are prefetched, to be at hand when the chunk is read.
void CodeReader::want(std::size_t chunk, Wanted& out) const {
  out.rows = out.blocks = 0;
  const auto first = static_cast<Row>(chunk * kChunkRows);
  if (scan_->allowed.all_of(first, first + static_cast<Row>(kChunkRows))) {
    out.rows = kChunkRows;
    out.blocks = kChunkBlocks;
    out.masks.fill(~std::uint32_t{0});
    out.is_sparse = false;
    return;
  }
  for (std::size_t i = 0; i < kChunkBlocks; ++i) {
    out.masks[i] = scan_->allowed.mask(chunk * kChunkBlocks + i);
    out.rows += static_cast<std::size_t>(std::popcount(out.masks[i]));
    out.blocks += out.masks[i] != 0;
  }
  out.is_sparse = out.rows > 0 && kGatherCost * blocks_of(out.rows) < out.blocks;
  if (!out.is_sparse) return;
  const ChunkShape& shape = scan_->codes.coder().shape();
  const std::byte* slots = scan_->codes.slots(chunk);
  std::size_t n = 0;
  for (std::size_t i = 0; i < kChunkBlocks; ++i) {
    for (std::uint32_t left = out.masks[i]; left != 0; left &= left - 1) {
      const std::size_t row = i * kBlockCodes + static_cast<std::size_t>(std::countr_zero(left));
      prefetch(slots + row * shape.slot_bytes, shape.slot_bytes);
      out.numbers[n++] = static_cast<std::uint16_t>(row);
    }
  }
  while (n % kBlockCodes != 0) out.numbers[n++] = out.numbers[out.rows - 1];
}

void CodeReader::read_chunk(std::size_t chunk, std::size_t next, const Wanted& wanted) {
  allowed_ += wanted.rows;
  const ChunkView view = scan_->codes.chunk(chunk);
  const Row first = static_cast<Row>(chunk * kChunkRows);
  if (wanted.is_sparse) {
    read_sparse(view, scan_->codes.slots(chunk), first, wanted);
  } else {
    read_runs(view, scan_->codes.chunk(next), first, wanted);
  }
}

// Reads the runs of blocks that hold allowed rows, and prefetches the same blocks of the next
// chunk.
void CodeReader::read_runs(const ChunkView& chunk, const ChunkView& next, Row first,
                           const Wanted& wanted) {
  prefetch(next.data + next.shape->factors_at, next.shape->terms_at - next.shape->factors_at);
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

void CodeReader::read_sparse(const ChunkView& chunk, const std::byte* slots, Row first,
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
    const Deviation deviation = this->deviation(terms, q + i);
    bounds[i] = {
        inner_[q + i] + terms.offset_low + deviation.step + scan_->best * deviation.rounding,
        terms.offset_step, terms.factor_step * table.scale(),
        terms.factor_step * (table.shift() + scan_->best * deviation.spread)};
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

CodeReader::Deviation CodeReader::deviation(const ChunkTerms& terms, std::size_t q) const {
  const float distance2 = std::max(0.0f, 1 - 2 * inner_[q] + terms.centre_length2);  // |q - c|²
  const float table = scan_->tables[q].rounding();
  return {std::sqrt(terms.spread * terms.spread * distance2 + table * table),
          terms.rounding * std::sqrt(distance2), terms.offset_step / 2};
}

// Offers the rows that pass for query q; their bounds are the i-th of a tile. Where rows are looked
// at early, lower bounds are left out: cosines soon tell more.
void CodeReader::offer(const ChunkTerms& terms, const Part& part, std::size_t q, std::size_t i) {
  Candidates& kept = kept_[q];
  const Deviation deviation = this->deviation(terms, q);
  const float spreads = scan_->best + scan_->worst;
  const float width = spreads * deviation.spread * terms.factor_step;
  const float rounding = 2 * deviation.step + spreads * deviation.rounding;
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
}

void CodeReader::give_up_if_hopeless(std::size_t q) {
  if (!is_hopeless(q)) return;
  look_where_likely(q);
  kept_[q].raise(scan_->floors[q].value());
  if (!is_hopeless(q)) return;
  kept_[q].give_up();
  scan_->floors[q].raise(std::numeric_limits<float>::infinity());  // no row passes any more
}

bool CodeReader::is_hopeless(std::size_t q) {
  const std::uint64_t most =
      std::max<std::uint64_t>(allowed_ / kHopelessShare, kHopelessRowsPerResult * scan_->k);
  return kept_[q].size() > most && kept_[q].hopeful_size() > most;
}

// A query's best rows may lie outside the sample, which then does not tell which rows are out. So
// rows of the chunks with the nearest centres are scored, which raises the query's floor.
void CodeReader::look_where_likely(std::size_t q) const {
  const CodeScan alone = scan_->of(q);
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
  CodeReader reader(alone, true);
  for (std::size_t i = 0; i < n; ++i) {
    reader.read(chunks[i].second, chunks[i].second + 1, false);
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
