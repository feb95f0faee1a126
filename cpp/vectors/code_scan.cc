// Chunks are cut into tasks; each worker keeps candidates of its own for each query. The rule by
// which rows stay candidates holds for any part of the rows as it does for all, so what is left
// after merging depends on the rows only: not on the tasks, nor on who did them.
#include "vectors/code_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "vectors/allowed_blocks.h"
#include "vectors/candidates.h"
#include "vectors/query_table.h"

namespace knarr {
namespace {

constexpr std::size_t kGroupQueries = 48;  // queries that share one reading of the codes
constexpr std::size_t kTileQueries = 8;    // queries that meet a chunk together
constexpr std::size_t kTaskChunks = 32;    // some hundred kilobytes of codes

// How many spreads below its estimate a row is taken to be at worst. The k-th best of that must not
// lie above the true k-th best cosine, also when many thousand rows are nearly as good as that one:
// so it is more than the recall target asks for.
constexpr double kWorst = 3.0;

// So many rows, beside as many as are wanted, are looked at early, after the first chunk and each
// time that so many more were read: their true cosines tell sooner than estimates which rows are
// out. Where very many are wanted that does not pay.
constexpr std::size_t kEarlyRows = 16;
constexpr std::size_t kMostWantedEarly = 200;
constexpr std::uint64_t kLookAgain = 2;

struct Scan {
  const VectorView& view;
  const CodeView& codes;
  const AllowedBlocks& allowed;
  std::span<const float* const> queries;  // one group
  std::span<const QueryTable> tables;
  const ScanKernel& kernel;
  const ScanKernel& floats;  // for centres
  const BoundKernel& bounds;
  std::size_t k;
  float best;   // z: how many spreads above its estimate a row is taken to be at best
  float worst;  // and below at worst
};

// One worker's reading.
class Reader {
 public:
  explicit Reader(const Scan& scan)
      : scan_(&scan),
        kept_(scan.queries.size(), Candidates(scan.k)),
        inner_(scan.queries.size()),
        centre_(scan.view.dim()) {}

  void read(std::size_t chunk) {
    for (std::size_t i = 0; i < kChunkBlocks; ++i) {
      masks_[i] = scan_->allowed.mask(chunk * kChunkBlocks + i);
    }
    const ChunkView view = scan_->codes.chunk(chunk);
    bool is_begun = false;
    for (std::size_t begin = 0, end; begin < kChunkBlocks; begin = end) {
      for (end = begin + 1; end < kChunkBlocks && (masks_[end] != 0) == (masks_[begin] != 0);)
        ++end;
      if (masks_[begin] == 0) continue;
      if (!is_begun) {
        view.read_centre(centre_.data());
        const auto* centre = reinterpret_cast<const std::byte*>(centre_.data());
        scan_->floats.block(&centre, 1, scan_->queries.data(), scan_->queries.size(),
                            scan_->view.dim(), inner_.data(), 1);
        is_begun = true;
      }
      for (std::size_t q = 0; q < kept_.size(); q += kTileQueries) {
        read_blocks(view, chunk, begin, end, q, std::min(kTileQueries, kept_.size() - q));
      }
      scanned_ += (end - begin) * kBlockCodes;
    }
    chunks_ += is_begun;
    if (chunks_ == next_look_) look_early();
  }

  std::vector<Candidates>& kept() { return kept_; }
  std::uint64_t scanned() const { return scanned_; }

 private:
  void look_early() {
    next_look_ = kLookAgain * chunks_;
    if (scan_->k > kMostWantedEarly) return;
    for (std::size_t q = 0; q < kept_.size(); ++q) {
      const std::vector<Candidate> rows = kept_[q].promising(scan_->k + kEarlyRows);
      std::vector<const std::byte*> data;
      for (const Candidate& each : rows) data.push_back(scan_->view.data(each.row));
      std::vector<float> cosines(rows.size());
      scan_->kernel.block(data.data(), data.size(), &scan_->queries[q], 1, scan_->view.dim(),
                          cosines.data(), cosines.size());
      for (std::size_t i = 0; i < rows.size(); ++i) kept_[q].know(rows[i], cosines[i]);
    }
  }

  // The blocks [begin, end) of a chunk, for n queries from q on.
  void read_blocks(const ChunkView& view, std::size_t chunk, std::size_t begin, std::size_t end,
                   std::size_t q, std::size_t n) {
    const std::size_t first = begin * kBlockCodes;
    std::array<BoundTerms, kTileQueries> terms;
    std::array<const std::uint8_t*, kTileQueries> tables;
    std::array<float, kTileQueries> floors;
    for (std::size_t i = 0; i < n; ++i) {
      const QueryTable& table = scan_->tables[q + i];
      terms[i] = {inner_[q + i] + view.terms().offset_low, view.terms().offset_step,
                  view.terms().factor_step, table.scale(),
                  table.shift() + scan_->best * spread(view, q + i)};
      tables[i] = table.entries();
      floors[i] = kept_[q + i].floor();
    }
    scan_->bounds.bounds_of_many(view.block(begin), end - begin, view.shape->code_bytes,
                                 view.factors() + first, view.offsets() + first, tables.data(),
                                 terms.data(), floors.data(), n, upper_.data(), passing_.data());
    for (std::size_t i = 0; i < n; ++i) offer_blocks(view, chunk, begin, end, q + i, i);
  }

  // What the standard deviation of an estimate is at most, by factors.
  float spread(const ChunkView& view, std::size_t q) const {
    const ChunkTerms& terms = view.terms();
    const float distance2 = 1 - 2 * inner_[q] + terms.centre_length2;  // |q - c|²
    return terms.spread * std::sqrt(std::max(0.0f, distance2));
  }

  // The rows of these blocks that pass; their bounds are the i-th of a tile.
  void offer_blocks(const ChunkView& view, std::size_t chunk, std::size_t begin, std::size_t end,
                    std::size_t q, std::size_t i) {
    const float width = (scan_->best + scan_->worst) * spread(view, q) * view.terms().factor_step;
    const std::uint32_t* passing = passing_.data() + i * (end - begin);
    const float* upper = upper_.data() + i * (end - begin) * kBlockCodes;
    const std::uint16_t* factors = view.factors() + begin * kBlockCodes;
    const Row row = static_cast<Row>(chunk * kChunkRows + begin * kBlockCodes);
    for (std::size_t block = 0; block < end - begin; ++block) {
      for (std::uint32_t left = passing[block] & masks_[begin + block]; left != 0;
           left &= left - 1) {
        const auto r = block * kBlockCodes + static_cast<std::size_t>(std::countr_zero(left));
        kept_[q].offer(row + static_cast<Row>(r), upper[r],
                       upper[r] - width * static_cast<float>(factors[r]));
      }
    }
  }

  const Scan* scan_;
  std::vector<Candidates> kept_;  // of each query
  std::vector<float> inner_;      // of each query and the chunk's centre
  std::vector<float> centre_;
  std::uint64_t scanned_ = 0;
  std::uint64_t chunks_ = 0;
  std::uint64_t next_look_ = 1;
  std::array<std::uint32_t, kChunkBlocks> masks_;
  std::array<std::uint32_t, kTileQueries * kChunkBlocks> passing_;
  std::array<float, kTileQueries * kChunkRows> upper_;
};

std::vector<Reader> read_all(const Scan& scan) {
  const std::size_t begin = scan.allowed.first() / kChunkBlocks;
  const std::size_t end =
      std::min(scan.codes.chunks(), (scan.allowed.last() + kChunkBlocks - 1) / kChunkBlocks);
  const std::size_t chunks = end > begin ? end - begin : 0;
  const std::size_t bytes =
      chunks == 0 ? 0 : chunks * scan.codes.coder().shape().size_bytes * scan.queries.size();
  const auto workers =
      static_cast<unsigned>(std::clamp<std::size_t>(bytes / kCodeBytesPerWorker, 1, max_workers()));
  std::vector<Reader> readers;
  readers.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) readers.emplace_back(scan);
  // Smaller tasks for many queries, so that the workers end together.
  const std::size_t step = scan.queries.size() < kTileQueries ? kTaskChunks : kTaskChunks / 4;
  parallel_for((chunks + step - 1) / step, workers, [&](unsigned worker, std::size_t task) {
    const std::size_t from = begin + task * step;
    for (std::size_t c = from; c < std::min(from + step, end); ++c) readers[worker].read(c);
  });
  return readers;
}

// One group of queries; adds to `out`.
void scan_group(const Scan& scan, const RowSet& allowed, const RowLess& before, CodeScanned& out) {
  Stopwatch watch(true);
  std::vector<Reader> readers = read_all(scan);
  std::vector<Candidates> kept = std::move(readers[0].kept());
  out.rows_scanned = 0;  // each group reads the same
  for (const Reader& reader : readers) out.rows_scanned += reader.scanned();
  for (std::size_t w = 1; w < readers.size(); ++w) {
    for (std::size_t q = 0; q < kept.size(); ++q) kept[q].merge(std::move(readers[w].kept()[q]));
  }
  const RowSet uncoded = allowed & RowSet::range(scan.codes.rows(), scan.view.size());
  uncoded.for_each_range([&](Row from, Row to) {
    for (Row row = from; row < to; ++row) {
      for (Candidates& each : kept) each.demand(row);
    }
  });
  out.scan_us += watch.lap_us();

  const std::uint64_t most = uncoded.size() + allowed.size() / kMostReranked;
  std::vector<Reranked> ranked(kept.size());
  rerank_each(scan.view, kept, scan.queries, scan.k, before, scan.kernel, most, ranked);
  for (Reranked& each : ranked) out.queries.push_back(std::move(each));
  out.rerank_us += watch.lap_us();
}

}  // namespace

double normal_quantile(double probability) {
  double low = 0, high = 8;  // beyond 8 a double knows no difference from 1
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    const double below = 1 - 0.5 * std::erfc(middle / std::sqrt(2.0));
    (below < probability ? low : high) = middle;
  }
  return high;
}

CodeScanned code_scan(const VectorView& view, const RowSet& allowed,
                      std::span<const float* const> queries, std::size_t k, double recall_target,
                      const RowLess& before, const ScanKernel& kernel, const BoundKernel& bounds) {
  CodeScanned out;
  if (allowed.empty()) {
    out.queries.resize(queries.size(), Reranked{{}, 0, true});
    return out;
  }
  k = std::min<std::uint64_t>(k, allowed.size());
  const CodeView& codes = view.codes();
  const AllowedBlocks blocks(allowed, codes.rows());
  const auto best = static_cast<float>(normal_quantile(recall_target));
  const auto worst = std::max(best, static_cast<float>(kWorst));
  for (std::size_t at = 0; at < queries.size(); at += kGroupQueries) {
    const auto group = queries.subspan(at, std::min(kGroupQueries, queries.size() - at));
    std::vector<QueryTable> tables;
    for (const float* query : group) {
      if (codes.chunks() > 0) tables.emplace_back(codes.coder(), query);
    }
    const Scan scan{view,          codes,  blocks, group, tables, kernel,
                    scan_kernel(), bounds, k,      best,  worst};
    scan_group(scan, allowed, before, out);
  }
  return out;
}

}  // namespace knarr
