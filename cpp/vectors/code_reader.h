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

#include "vectors/allowed_rows.h"
#include "vectors/candidates.h"
#include "vectors/codes/bound_kernel.h"
#include "vectors/codes/codes.h"
#include "vectors/codes/gather.h"
#include "vectors/codes/query_table.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"

namespace knarr {

// Queries that share a reading of a block, at most.
inline constexpr std::size_t kTileQueries = 8;

// The highest floor that any worker knows for a query.
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

// The chunks that are read first, by one worker: short runs at even distances over the scope.
struct SampledChunks {
  static constexpr std::size_t kRun = 2;

  std::size_t begin = 0;
  std::size_t period = kRun;  // from the begin of one run to the next
  std::size_t runs = 0;

  bool contains(std::size_t chunk) const {
    return (chunk - begin) % period < kRun && (chunk - begin) / period < runs;
  }
};

struct CodeScan {
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
  float best;          // z: a row is at best this many standard deviations above its estimate
  float worst;         // and at worst this many below
  std::span<SharedFloor> floors;  // of each query
  SampledChunks sample;

  // The chunks [first_chunk(), last_chunk()) hold all allowed rows that have codes.
  std::size_t first_chunk() const { return allowed.first() / kChunkBlocks; }
  std::size_t last_chunk() const {
    return std::min(codes.chunks(), (allowed.last() + kChunkBlocks - 1) / kChunkBlocks);
  }
  // The same scan for query q alone.
  CodeScan of(std::size_t q) const {
    CodeScan one = *this;
    one.queries = queries.subspan(q, 1);
    one.tables = tables.subspan(q, 1);
    one.floors = floors.subspan(q, 1);
    return one;
  }
};

class CodeReader {
 public:
  // Where k is small, rows are looked at early (see code_reader.cc).
  explicit CodeReader(const CodeScan& scan) : CodeReader(scan, scan.k <= kMostWantedEarly) {}

  // Reads the sample, and gives up the queries for which too many of its rows may be among the
  // best. This depends on the store, the scope and the query only: one worker calls it, before any
  // other worker reads, and nothing is given up later.
  void read_sample();

  // Reads the chunks [begin, end) but for the sample.
  void read_others(std::size_t begin, std::size_t end) { read(begin, end, scan_->sample.runs > 0); }

  // Whether all queries are given up.
  bool is_given_up() const;

  std::vector<Candidates>& kept() { return kept_; }  // of each query
  std::uint64_t scanned() const { return scanned_; }

 private:
  // What is allowed of a chunk.
  struct Wanted {
    std::size_t rows = 0;
    std::size_t blocks = 0;  // that hold any
    bool is_sparse = false;  // rows are gathered into blocks
    std::array<std::uint32_t, kChunkBlocks> masks;
    std::array<std::uint16_t, kChunkRows> numbers;  // of the rows in the chunk, where sparse
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
    const std::byte* next;         // to prefetch
  };

  // How far the estimates of a query and a chunk may be off.
  struct Deviation {
    float spread;    // the standard deviation of an estimate, at most, in units of its factor
    float rounding;  // the standard deviation that rounded factors add
    float step;      // the error of a rounded offset, at most
  };

  static constexpr std::size_t kMostWantedEarly = 200;

  // Chunks that follow each other: the queries meet their centres together.
  static constexpr std::size_t kTogether = 4;
  using Several = std::array<Wanted, kTogether>;

  CodeReader(const CodeScan& scan, bool looks_early);
  void read(std::size_t begin, std::size_t end, bool skips_sample);
  void want(std::size_t chunk, Wanted& out) const;
  void want(std::size_t begin, std::size_t end, bool skips_sample, Several& out) const;
  void meet_centres(std::size_t begin, std::span<const Wanted> some);
  void read_chunk(std::size_t chunk, std::size_t next, const Wanted& wanted);
  void read_runs(const ChunkView& chunk, const ChunkView& next, Row first, const Wanted& wanted);
  void read_sparse(const ChunkView& chunk, const std::byte* slots, Row first, const Wanted& wanted);
  void read_part(const ChunkTerms& terms, const Part& part);
  void read_tile(const ChunkTerms& terms, const Part& part, std::size_t q, std::size_t n);
  void offer(const ChunkTerms& terms, const Part& part, std::size_t q, std::size_t i);
  Deviation deviation(const ChunkTerms& terms, std::size_t q) const;
  void look_early(std::size_t q);
  void look_where_likely(std::size_t q) const;
  void give_up_if_hopeless(std::size_t q);
  bool is_hopeless(std::size_t q);

  const CodeScan* scan_;
  bool looks_early_;
  std::vector<Candidates> kept_;
  std::vector<float> inners_;      // of each query and kTogether centres
  std::vector<float> inner_;       // of each query and the centre of the chunk that is read
  std::uint64_t scanned_ = 0;      // rows whose codes were read
  std::uint64_t allowed_ = 0;      // rows of them that are allowed
  std::array<Several, 2> wanted_;  // of some chunks, and of the next ones
  std::vector<std::byte> gathered_;
  std::array<std::uint8_t, kChunkRows> factors_;
  std::array<std::uint8_t, kChunkRows> offsets_;
  std::array<std::uint32_t, kTileQueries * kChunkBlocks> passing_;
  std::array<float, kTileQueries * kChunkRows> upper_;
  std::array<Candidate, kChunkRows> passed_;
};

}  // namespace knarr
