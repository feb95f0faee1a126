// One worker's reading of codes for a group of queries: which rows may be among the best.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "vectors/allowed_blocks.h"
#include "vectors/candidates.h"
#include "vectors/codes/codes.h"
#include "vectors/codes/estimate.h"
#include "vectors/codes/query_table.h"
#include "vectors/codes/scattered.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"

namespace knarr {

// So many queries share a reading of a block.
inline constexpr std::size_t kTileQueries = 8;

// A number that all workers raise.
class SharedFloor {
 public:
  float value() const { return value_.load(std::memory_order_relaxed); }
  void raise(float floor) {
    float seen = value();
    while (seen < floor && !value_.compare_exchange_weak(seen, floor, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<float> value_{-std::numeric_limits<float>::infinity()};
};

struct Scan {
  const VectorView& view;
  const CodeView& codes;
  const AllowedBlocks& allowed;
  std::span<const float* const> queries;  // one group
  std::span<const QueryTable> tables;
  const ScoreKernel& kernel;
  const ScoreKernel& centres;
  const BoundKernel& bounds;
  GatherRows gather;
  std::size_t k;
  std::uint64_t most;  // rows that are reranked for a query, else it is given up
  float best;          // z: how many spreads above its estimate a row is taken to be at best
  float worst;         // and below at worst
  std::span<SharedFloor> floors;  // of each query

  // The chunks [first_chunk(), last_chunk()) hold all allowed rows that have codes.
  std::size_t first_chunk() const { return allowed.first() / kChunkBlocks; }
  std::size_t last_chunk() const {
    return std::min(codes.chunks(), (allowed.last() + kChunkBlocks - 1) / kChunkBlocks);
  }
  // The same for query q alone.
  Scan of(std::size_t q) const {
    return {view,
            codes,
            allowed,
            queries.subspan(q, 1),
            tables.subspan(q, 1),
            kernel,
            centres,
            bounds,
            gather,
            k,
            most,
            best,
            worst,
            floors.subspan(q, 1)};
  }
};

class CodeReader {
 public:
  // Gives up a query of which more than `most_kept` rows may be among the best, also after a look
  // at where its best are likely.
  CodeReader(const Scan& scan, std::uint64_t most_kept);

  // Reads chunks [begin, end).
  void read(std::size_t begin, std::size_t end);

  std::vector<Candidates>& kept() { return kept_; }  // of each query
  std::uint64_t scanned() const { return scanned_; }

 private:
  // What is allowed of a chunk.
  struct Wanted {
    std::size_t rows = 0;
    std::size_t blocks = 0;  // that hold any
    bool is_scattered = false;
    std::array<std::uint32_t, kChunkBlocks> masks;
    std::array<std::uint16_t, kChunkRows> numbers;  // of the rows in the chunk, where scattered
  };
  // Blocks that follow each other.
  struct Part {
    const std::byte* blocks;
    std::size_t n_blocks;
    const std::uint8_t* factors;
    const std::uint8_t* offsets;
    const std::uint32_t* masks;
    Row first;
    const std::uint16_t* numbers;  // row i is first + numbers[i]; null: first + i
    const std::byte* next;         // where to go on
  };

  // How far estimates of a query and a chunk may be off.
  struct Doubt {
    float spread;    // the standard deviation of an estimate, at most, by factors
    float rounding;  // of what rounded factors add
    float step;      // what a rounded offset may be off, at most
  };

  // Chunks that follow each other: the queries meet their centres together.
  static constexpr std::size_t kTogether = 4;
  using Several = std::array<Wanted, kTogether>;

  void want(std::size_t chunk, Wanted& out) const;
  void want(std::size_t begin, std::size_t end, Several& out) const;
  void meet_centres(std::size_t begin, std::span<const Wanted> some);
  void read_chunk(std::size_t chunk, std::size_t next, const Wanted& wanted);
  void read_runs(const ChunkView& chunk, const ChunkView& next, Row first, const Wanted& wanted);
  void read_scattered(const ChunkView& chunk, const std::byte* slots, Row first,
                      const Wanted& wanted);
  void read_part(const ChunkTerms& terms, const Part& part);
  void read_tile(const ChunkTerms& terms, const Part& part, std::size_t q, std::size_t n);
  void offer(const ChunkTerms& terms, const Part& part, std::size_t q, std::size_t i);
  Doubt doubt(const ChunkTerms& terms, std::size_t q) const;
  void look_early(std::size_t q);
  void look_where_likely(std::size_t q) const;
  bool is_given_up() const;

  const Scan* scan_;
  std::uint64_t most_kept_;
  bool looks_early_;
  std::vector<Candidates> kept_;
  std::vector<float> inners_;  // of each query and kTogether centres
  std::vector<float> inner_;   // of each query and the centre of the chunk that is read
  std::uint64_t scanned_ = 0;
  std::array<Several, 2> wanted_;  // of some chunks, and of the next ones
  std::vector<std::byte> gathered_;
  std::array<std::uint8_t, kChunkRows> factors_;
  std::array<std::uint8_t, kChunkRows> offsets_;
  std::array<std::uint32_t, kTileQueries * kChunkBlocks> passing_;
  std::array<float, kTileQueries * kChunkRows> upper_;
  std::array<Candidate, kChunkRows> passed_;
};

}  // namespace knarr
