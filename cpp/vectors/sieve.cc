// Rows are read in blocks that stay in the first cache while they meet the queries, a few at a
// time. Queries are taken in groups, which bounds the memory of their candidates; each group reads
// the rows once. Which rows stay candidates depends on the rows only (see candidates.h): not on the
// blocks, nor on who read them, nor on the other queries.
#include "vectors/sieve.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "vectors/candidates.h"
#include "vectors/exact.h"
#include "vectors/ranked_ranges.h"
#include "vectors/short_rows.h"

namespace knarr {
namespace {

constexpr std::size_t kGroupQueries = 48;  // queries that share one reading of the rows
constexpr std::size_t kTileQueries = 4;    // queries that meet a block together
constexpr std::size_t kBlockRows = 1024;   // for one query
constexpr std::size_t kSharedRows = 64;    // for many: 25 KB at dimension 384
constexpr std::size_t kGroups = 32;
constexpr std::uint64_t kTaskBytes = std::uint64_t{1} << 20;  // of short rows, times queries

struct Sieve {
  const VectorView& view;
  std::span<const ShortQuery> queries;  // one group
  std::span<const std::int16_t* const> numbers;
  ShortProducts products;
  std::size_t block_rows;
};

// One worker's reading.
class Reader {
 public:
  Reader(const Sieve& sieve, std::size_t k)
      : sieve_(&sieve), k_(k), kept_(sieve.queries.size(), Candidates(k)) {}

  void read(Row begin, Row end) {
    const VectorView& view = sieve_->view;
    const std::size_t size = view.short_shape().size_bytes;
    while (begin < end) {
      const std::size_t most = std::min<std::size_t>(end - begin, view.contiguous(begin));
      const std::size_t n = std::min(most, sieve_->block_rows - size_);
      const std::byte* data = view.short_row(begin);
      for (std::size_t i = 0; i < n; ++i, ++size_, data += size) {
        rows_[size_] = begin + static_cast<Row>(i);
        data_[size_] = data;
      }
      begin += static_cast<Row>(n);
      if (size_ == sieve_->block_rows) flush();
    }
  }

  // Finishes the block; must follow the last read.
  void flush() {
    if (size_ == 0) return;
    const ShortShape& shape = sieve_->view.short_shape();
    for (std::size_t q = 0; q < kept_.size(); q += kTileQueries) {
      const std::size_t n = std::min(kTileQueries, kept_.size() - q);
      sieve_->products(data_.data(), size_, sieve_->numbers.data() + q, n, shape.numbers,
                       products_.data(), size_);
      if (q == 0) read_terms(shape);  // the rows have arrived
      for (std::size_t i = 0; i < n; ++i) offer(q + i, products_.data() + i * size_);
    }
    size_ = 0;
  }

  std::vector<Candidates>& kept() { return kept_; }

 private:
  using Numbers = std::array<float, kBlockRows>;

  void read_terms(const ShortShape& shape) {
    for (std::size_t i = 0; i < size_; ++i) {
      steps_[i] = shape.step(data_[i]);
      slacks_[i] = shape.slack(data_[i]);
    }
  }

  void offer(std::size_t q, const std::int32_t* products) {
    const ShortQuery& query = sieve_->queries[q];
    const float step = query.step(), length = query.length(), least = query.error();
    for (std::size_t i = 0; i < size_; ++i) {
      const float estimate = static_cast<float>(products[i]) * (steps_[i] * step);
      const float error = slacks_[i] * length + least;
      upper_[i] = estimate + error;
      lower_[i] = estimate - error;
    }
    Candidates& kept = kept_[q];
    const float floor = std::max(kept.floor(), first_floor(kept));
    for (std::size_t i = 0; i < size_; ++i) passing_[i] = upper_[i] >= floor;
    std::fill_n(passing_.data() + size_, sizeof(std::uint64_t), std::uint8_t{0});
    for (std::size_t i = 0; i < size_; i += sizeof(std::uint64_t)) {
      std::uint64_t eight;  // few rows pass
      std::memcpy(&eight, passing_.data() + i, sizeof(eight));
      if (eight == 0) continue;
      for (std::size_t j = i; j < i + sizeof(eight); ++j) {
        if (passing_[j] != 0) kept.offer(rows_[j], upper_[j], lower_[j]);
      }
    }
  }

  // A number that k rows of the first block are not below: the k-th largest of the best of each
  // sixteen or fewer. Minus infinity where that tells nothing.
  float first_floor(const Candidates& kept) const {
    constexpr float kNone = -std::numeric_limits<float>::infinity();
    if (kept.floor() > kNone || size_ < kGroups || k_ > kGroups) return kNone;
    std::array<float, kGroups> best;
    std::copy_n(lower_.begin(), kGroups, best.begin());
    for (std::size_t at = kGroups; at + kGroups <= size_; at += kGroups) {
      for (std::size_t i = 0; i < kGroups; ++i) best[i] = std::max(best[i], lower_[at + i]);
    }
    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(k_) - 1, best.end(),
                     std::greater<>());
    return best[k_ - 1];
  }

  const Sieve* sieve_;
  std::size_t k_;
  std::vector<Candidates> kept_;  // of each query
  std::size_t size_ = 0;          // rows in the block
  std::array<Row, kBlockRows> rows_;
  std::array<const std::byte*, kBlockRows> data_;
  std::array<std::int32_t, std::max(kBlockRows, kTileQueries* kSharedRows)> products_;
  Numbers steps_, slacks_;
  Numbers upper_, lower_;  // of one query
  std::array<std::uint8_t, kBlockRows + sizeof(std::uint64_t)> passing_;
};

std::vector<Candidates> read_all(const Sieve& sieve, const RankedRanges& rows, std::size_t k) {
  const std::uint64_t row_bytes = sieve.view.short_shape().size_bytes * sieve.queries.size();
  const std::uint64_t worth = rows.size() * row_bytes / kBytesPerWorker;
  const auto workers = static_cast<unsigned>(std::clamp<std::uint64_t>(worth, 1, max_workers()));
  std::vector<Reader> readers;
  readers.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) readers.emplace_back(sieve, k);
  const std::uint64_t step = std::max<std::uint64_t>(kBlockRows, kTaskBytes / row_bytes);
  parallel_for((rows.size() + step - 1) / step, workers, [&](unsigned worker, std::size_t task) {
    Reader& reader = readers[worker];
    rows.visit(task * step, std::min(rows.size(), (task + 1) * step),
               [&](Row begin, Row end) { reader.read(begin, end); });
    reader.flush();
  });
  std::vector<Candidates> kept = std::move(readers[0].kept());
  for (std::size_t w = 1; w < readers.size(); ++w) {
    for (std::size_t q = 0; q < kept.size(); ++q) kept[q].merge(std::move(readers[w].kept()[q]));
  }
  return kept;
}

}  // namespace

std::vector<Reranked> sieve_top_k(const VectorView& view, const RowSet& allowed,
                                  std::span<const float* const> queries, std::size_t k,
                                  const RowLess& before, const ScanKernel& kernel,
                                  ShortProducts products) {
  const RankedRanges rows(allowed);
  k = std::min<std::uint64_t>(k, rows.size());
  std::vector<Reranked> results(queries.size());
  for (std::size_t at = 0; at < queries.size(); at += kGroupQueries) {
    const std::size_t n = std::min(kGroupQueries, queries.size() - at);
    std::vector<ShortQuery> group;
    std::vector<const std::int16_t*> numbers;
    group.reserve(n);
    for (std::size_t q = at; q < at + n; ++q) {
      group.emplace_back(std::span(queries[q], view.dim()), view.short_shape());
      numbers.push_back(group.back().numbers());
    }
    const Sieve sieve{view, group, numbers, products, n == 1 ? kBlockRows : kSharedRows};
    std::vector<Candidates> kept = read_all(sieve, rows, k);
    rerank_each(view, kept, queries.subspan(at, n), k, before, kernel,
                std::numeric_limits<std::uint64_t>::max(), std::span(results).subspan(at, n));
  }
  return results;
}

}  // namespace knarr
