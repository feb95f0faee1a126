// Rows are read in blocks that meet the queries, a few at a time. Queries are taken in groups,
// which bounds the memory of what is kept for them; each group reads the rows once. How many rows
// are scored in the end may depend on the blocks and on the other queries; the results do not.
#include "vectors/bound_filter.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "vectors/exact.h"
#include "vectors/ranked_ranges.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/sifted.h"

namespace knarr {
namespace {

constexpr std::size_t kGroupQueries = 48;     // queries that share one reading of the rows
constexpr std::size_t kTileQueries = 4;       // queries that meet a block together
constexpr std::size_t kBlockRows = 1024;      // for one query
constexpr std::size_t kSharedRows = 512;      // for many: they stay in the second cache
constexpr std::size_t kQueriesPerWorker = 8;  // to score candidates: some microseconds each
constexpr std::uint64_t kTaskBytes = std::uint64_t{1} << 18;  // of quantised rows, times queries

struct BoundFilter {
  const VectorView& view;
  std::span<const QuantisedQuery> queries;  // one group
  std::span<const QueryBytes> query_bytes;
  QuantisedCosines cosines;
  std::size_t k;
  std::size_t block_rows;
};

// One worker's reading.
class Reader {
 public:
  explicit Reader(const BoundFilter& sieve)
      : sieve_(&sieve), block_(std::make_unique_for_overwrite<Block>()) {
    kept_.reserve(sieve.queries.size());
    for (const QuantisedQuery& query : sieve.queries) kept_.emplace_back(query, sieve.k);
  }

  void read(Row begin, Row end) {
    const VectorView& view = sieve_->view;
    const std::size_t size = view.quantised_shape().size_bytes;
    while (begin < end) {
      const std::size_t most = std::min<std::size_t>(end - begin, view.contiguous(begin));
      const std::size_t n = std::min(most, sieve_->block_rows - size_);
      const std::byte* data = view.quantised_row(begin);
      for (std::size_t i = 0; i < n; ++i, ++size_, data += size) {
        block_->rows[size_] = begin + static_cast<Row>(i);
        block_->data[size_] = data;
      }
      begin += static_cast<Row>(n);
      if (size_ == sieve_->block_rows) flush();
    }
  }

  // Finishes the block; must follow the last read.
  void flush() {
    if (size_ == 0) return;
    Block& block = *block_;
    for (std::size_t q = 0; q < kept_.size(); q += kTileQueries) {
      const std::size_t n = std::min(kTileQueries, kept_.size() - q);
      sieve_->cosines(block.data.data(), size_, sieve_->query_bytes.data() + q, n,
                      sieve_->view.quantised_shape().numbers, block.cosines.data(), size_,
                      q == 0 ? block.slacks.data() : nullptr);
      for (std::size_t i = 0; i < n; ++i) {
        kept_[q + i].add(block.rows.data(), block.cosines.data() + i * size_, block.slacks.data(),
                         size_);
      }
    }
    size_ = 0;
  }

  std::vector<Sifted>& kept() { return kept_; }

 private:
  struct Block {
    std::array<Row, kBlockRows> rows;
    std::array<const std::byte*, kBlockRows> data;
    std::array<float, kBlockRows> slacks;
    std::array<float, std::max(kBlockRows, kTileQueries* kSharedRows)> cosines;
  };

  const BoundFilter* sieve_;
  std::vector<Sifted> kept_;  // of each query
  std::size_t size_ = 0;      // rows in the block
  std::unique_ptr<Block> block_;
};

std::vector<Sifted> read_all(const BoundFilter& sieve, const RankedRanges& rows) {
  const std::uint64_t row_bytes = sieve.view.quantised_shape().size_bytes * sieve.queries.size();
  const std::uint64_t worth = rows.size() * row_bytes / kBytesPerWorker;
  const auto workers = static_cast<unsigned>(std::clamp<std::uint64_t>(worth, 1, max_workers()));
  std::vector<Reader> readers;
  readers.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) readers.emplace_back(sieve);
  const std::uint64_t step = std::max<std::uint64_t>(kBlockRows, kTaskBytes / row_bytes);
  parallel_for((rows.size() + step - 1) / step, workers, [&](unsigned worker, std::size_t task) {
    Reader& reader = readers[worker];
    rows.visit(task * step, std::min(rows.size(), (task + 1) * step),
               [&](Row begin, Row end) { reader.read(begin, end); });
    reader.flush();
  });
  std::vector<Sifted> kept = std::move(readers[0].kept());
  for (std::size_t w = 1; w < readers.size(); ++w) {
    for (std::size_t q = 0; q < kept.size(); ++q) kept[q].merge(readers[w].kept()[q]);
  }
  return kept;
}

}  // namespace

std::vector<Reranked> bound_filter_top_k(const VectorView& view, const RowSet& allowed,
                                         std::span<const float* const> queries, std::size_t k,
                                         const RowLess& before, const ScoreKernel& kernel,
                                         QuantisedCosines cosines) {
  const RankedRanges rows(allowed);
  k = std::min<std::uint64_t>(k, rows.size());
  std::vector<Reranked> results(queries.size());
  for (std::size_t at = 0; at < queries.size(); at += kGroupQueries) {
    const std::size_t n = std::min(kGroupQueries, queries.size() - at);
    std::vector<QuantisedQuery> group;
    std::vector<QueryBytes> query_bytes;
    group.reserve(n);
    query_bytes.reserve(n);
    for (std::size_t q = at; q < at + n; ++q) {
      group.emplace_back(std::span(queries[q], view.dim()), view.quantised_shape());
      query_bytes.push_back(group.back().bytes());
    }
    const BoundFilter sieve{view,    group, query_bytes,
                            cosines, k,     n == 1 ? kBlockRows : kSharedRows};
    std::vector<Sifted> kept = read_all(sieve, rows);
    const auto workers =
        static_cast<unsigned>(std::min<std::size_t>(n / kQueriesPerWorker, max_workers()));
    parallel_for(n, workers, [&](unsigned, std::size_t q) {
      results[at + q] = kept[q].settle(view, queries[at + q], before, kernel);
    });
  }
  return results;
}

}  // namespace knarr
