// The allowed rows are laid out by rank, 0 to allowed.size() - 1, and cut into tasks of about
// kTaskBytes of vectors. A task is read in blocks. A block is a list of row pointers, so that one
// kernel serves whole ranges, ranges across segments and single rows alike. Only a scan that is
// larger than the caches streams its long runs past that list, in the order of memory: there the
// speed of reading is the limit, and any other order costs a fifth of it.
//
// With many queries a block stays in the second-level cache while it meets them, a few at a time so
// that these stay in the first-level cache. Queries are taken in groups, which bounds the memory of
// their results; each group reads the rows once.
#include "vectors/exact.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/parallel.h"
#include "vectors/allowed_rows.h"

namespace knarr {
namespace {

constexpr std::size_t kTaskBytes = std::size_t{1} << 20;
constexpr std::size_t kBlockBytes = std::size_t{128} << 10;
constexpr std::size_t kStreamBytes = std::size_t{8} << 20;  // scans beyond this stream long runs
constexpr std::size_t kStreamRows = 32;                     // rows of a long run
constexpr std::size_t kBlockRows = 128;                     // most rows of a block
constexpr std::size_t kGroupQueries = 48;  // queries that share one reading of the rows
constexpr std::size_t kTileQueries = 12;   // queries that meet a block together
// Queries after the first cost arithmetic but no memory traffic: an eighth of the first, about.
constexpr std::size_t kQueriesPerReading = 8;

struct ExactScan {
  const VectorView& view;
  std::span<const float* const> queries;  // one group
  const ScoreKernel& kernel;
  std::size_t block_rows;
  bool from_memory;  // the rows are too many to lie in a cache
};

// One worker's reading of its tasks.
class ExactReader {
 public:
  ExactReader(const ExactScan& scan, std::size_t k, const RowLess& before)
      : scan_(&scan), best_(scan.queries.size(), TopK(k, before)) {}

  void read(Row begin, Row end) {
    const std::size_t row_bytes = scan_->view.format().row_bytes();
    while (begin < end) {
      const std::byte* data = scan_->view.data(begin);
      const std::size_t most = std::min<std::size_t>(end - begin, scan_->view.contiguous(begin));
      if (scan_->from_memory && scan_->queries.size() == 1 && most >= kStreamRows) {
        stream(begin, most);
        begin += static_cast<Row>(most);
        continue;
      }
      const std::size_t n = std::min(most, scan_->block_rows - size_);
      for (std::size_t i = 0; i < n; ++i, ++size_, data += row_bytes) {
        rows_[size_] = begin + static_cast<Row>(i);
        data_[size_] = data;
      }
      begin += static_cast<Row>(n);
      if (size_ == scan_->block_rows) flush();
    }
  }

  // Finishes the block; must follow the last read.
  void flush() {
    if (size_ == 0) return;
    std::array<float, kTileQueries * kBlockRows> scores;
    const std::span<const Row> rows(rows_.data(), size_);
    for (std::size_t q = 0; q < scan_->queries.size(); q += kTileQueries) {
      const std::size_t n = std::min(kTileQueries, scan_->queries.size() - q);
      scan_->kernel.block(data_.data(), size_, scan_->queries.data() + q, n, scan_->view.dim(),
                          scores.data(), size_);
      for (std::size_t i = 0; i < n; ++i) best_[q + i].offer(rows, scores.data() + i * size_);
    }
    size_ = 0;
  }

  std::vector<TopK>& best() { return best_; }

 private:
  // Rows that follow each other in memory, for one query.
  void stream(Row begin, std::size_t n) {
    std::array<float, kBlockRows> scores;
    for (std::size_t at = 0; at < n; at += kBlockRows) {
      const std::size_t m = std::min(kBlockRows, n - at);
      const Row first = begin + static_cast<Row>(at);
      scan_->kernel.stream(scan_->view.data(first), m, scan_->queries[0], scan_->view.dim(),
                           scores.data());
      for (std::size_t i = 0; i < m; ++i) best_[0].offer(first + static_cast<Row>(i), scores[i]);
    }
  }

  const ExactScan* scan_;
  std::vector<TopK> best_;  // of each query
  std::size_t size_ = 0;    // rows in the block
  std::array<Row, kBlockRows> rows_;
  std::array<const std::byte*, kBlockRows> data_;
};

std::vector<ExactReader> read_all(const ExactScan& scan, const RankedRanges& rows, std::size_t k,
                                  const RowLess& before) {
  const std::size_t row_bytes = scan.view.format().row_bytes();
  const std::uint64_t readings = 1 + (scan.queries.size() - 1) / kQueriesPerReading;
  const std::uint64_t worth = rows.size() * row_bytes * readings / kBytesPerWorker;
  const auto wanted = static_cast<unsigned>(std::clamp<std::uint64_t>(worth, 1, max_workers()));
  std::vector<ExactReader> readers;
  readers.reserve(wanted);
  for (unsigned worker = 0; worker < wanted; ++worker) readers.emplace_back(scan, k, before);
  if (wanted == 1) {
    rows.visit(0, rows.size(), [&](Row begin, Row end) { readers[0].read(begin, end); });
    readers[0].flush();
    return readers;
  }
  const std::uint64_t step = std::max<std::uint64_t>(kBlockRows, kTaskBytes / row_bytes);
  const std::uint64_t tasks = (rows.size() + step - 1) / step;
  parallel_for(tasks, wanted, [&](unsigned worker, std::size_t task) {
    ExactReader& reader = readers[worker];
    rows.visit(task * step, std::min(rows.size(), (task + 1) * step),
               [&](Row begin, Row end) { reader.read(begin, end); });
    reader.flush();
  });
  return readers;
}

}  // namespace

std::vector<std::vector<ScoredRow>> exact_top_k(const VectorView& view, const RowSet& allowed,
                                                std::span<const float* const> queries,
                                                std::size_t k, const RowLess& before,
                                                const ScoreKernel& kernel) {
  std::vector<std::vector<ScoredRow>> results(queries.size());
  const RankedRanges rows(allowed);
  if (rows.size() == 0) return results;
  k = std::min<std::uint64_t>(k, rows.size());
  const std::size_t row_bytes = view.format().row_bytes();
  const bool from_memory = rows.size() * row_bytes > kStreamBytes;
  const std::size_t block_rows =
      queries.size() == 1 ? kBlockRows
                          : std::clamp<std::size_t>(kBlockBytes / row_bytes, 4, kBlockRows);

  for (std::size_t at = 0; at < queries.size(); at += kGroupQueries) {
    const std::size_t n = std::min(kGroupQueries, queries.size() - at);
    const ExactScan scan{view, queries.subspan(at, n), kernel, block_rows, from_memory};
    std::vector<ExactReader> readers = read_all(scan, rows, k, before);
    for (std::size_t q = 0; q < n; ++q) {
      TopK& best = readers[0].best()[q];
      for (std::size_t w = 1; w < readers.size(); ++w) best.merge(std::move(readers[w].best()[q]));
      results[at + q] = best.take();
    }
  }
  return results;
}

}  // namespace knarr
