// Rows are read in blocks that meet the queries, a few at a time. Queries are taken in groups,
// which bounds the memory of their survivors; each group reads the rows once.
//
// Survivors are scored in two steps. The k-th best of what rows have at worst is certain, and tells
// which rows are out. The rows that reach it at worst are at least k, and are scored first; the
// k-th of their scores tells which of the others are scored too. That is within a few rows of what
// any order of scoring must look at.
#include "vectors/lower_bound_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include "base/parallel.h"
#include "vectors/allowed_rows.h"
#include "vectors/exact.h"

namespace knarr {
namespace {

constexpr std::size_t kGroupQueries = 48;     // queries that share one reading of the rows
constexpr std::size_t kTileQueries = 4;       // queries that meet a block together
constexpr std::size_t kBlockRows = 1024;      // for one query
constexpr std::size_t kSharedRows = 512;      // for many: a block stays in the second-level cache
constexpr std::size_t kQueriesPerWorker = 8;  // to score survivors: some microseconds each
constexpr std::uint64_t kTaskBytes = std::uint64_t{1} << 18;  // of quantised rows, times queries
constexpr std::size_t kParts = 32;  // of the first rows, for a first floor
constexpr std::size_t kWord = 64;   // rows that are tested together

// The k-th largest of kParts numbers, which fit a few registers, without a branch. Requires
// k <= kParts.
float kth_of_parts(const std::array<float, kParts>& numbers, std::size_t k) {
  std::array<std::uint32_t, kParts> above{};  // how many are larger
  for (const float each : numbers) {
    for (std::size_t i = 0; i < kParts; ++i) above[i] += each > numbers[i] ? 1 : 0;
  }
  float kth = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < kParts; ++i) {
    if (above[i] < k) kth = std::min(kth, numbers[i]);
  }
  return kth;
}

// A number that k rows reach at worst: part i is every kParts-th row from row i on, and it is the
// k-th largest of the parts' best. Minus infinity where that tells nothing.
float first_least(const float* cosines, const float* slacks, std::size_t n, std::size_t k) {
  std::array<float, kParts> best;
  best.fill(-std::numeric_limits<float>::infinity());
  if (n < kParts || k > kParts) return best[0];
  for (std::size_t at = 0; at + kParts <= n; at += kParts) {
    for (std::size_t i = 0; i < kParts; ++i) {
      best[i] = std::max(best[i], cosines[at + i] - slacks[at + i]);
    }
  }
  return kth_of_parts(best, k);
}

// Bit i: whether row i of n is within the bound. Looks at kWord rows, at most.
std::uint64_t within(const QuantisedBound& bound, const float* cosines, const float* slacks,
                     std::size_t n) {
  std::array<std::uint8_t, kWord> each{};
  if (n >= kWord) {
    for (std::size_t i = 0; i < kWord; ++i) each[i] = bound.is_within(cosines[i], slacks[i]);
  } else {
    for (std::size_t i = 0; i < n; ++i) each[i] = bound.is_within(cosines[i], slacks[i]);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kWord; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, each.data() + i, sizeof(eight));
    bits |= (eight * 0x0102'0408'1020'4080u >> 56) << i;  // the lowest bit of each byte
  }
  return bits;
}

float kth_largest(std::vector<float>& numbers, std::size_t k) {
  const auto kth = numbers.begin() + static_cast<std::ptrdiff_t>(k) - 1;
  std::nth_element(numbers.begin(), kth, numbers.end(), std::greater<>());
  return *kth;
}

// The rows that may be among the k best of one query.
class Survivors {
 public:
  // `query` must outlive this. Requires k >= 1.
  Survivors(const QuantisedQuery& query, std::size_t k) : query_(&query), k_(k) {
    kept_.reserve(kLeastKept);
  }

  // Adds the rows that may be among the k best of all rows shown so far.
  void add(const Row* rows, const float* cosines, const float* slacks, std::size_t n);

  // Adds the survivors of other rows.
  void merge(const Survivors& other);

  // Scores the survivors, as far as they may be among the k best. `query` is the one that this was
  // made with, as the kernel takes it.
  Reranked refine(const VectorView& view, const float* query, const RowLess& before,
                  const ScoreKernel& kernel);

 private:
  static constexpr float kNone = -std::numeric_limits<float>::infinity();
  static constexpr std::size_t kLeastKept = 128;

  struct Kept {
    Row row;
    float cosine;
    float slack;

    float worst() const { return cosine - slack; }
  };

  void raise(float least);
  void prune();

  const QuantisedQuery* query_;
  std::size_t k_;
  float least_ = kNone;  // k rows have at least this at worst: their cosine less their slack
  QuantisedBound bound_{kNone, 0};
  std::vector<Kept> kept_;
  std::size_t most_ = kLeastKept;  // rows that are kept without pruning again
};

void Survivors::add(const Row* rows, const float* cosines, const float* slacks, std::size_t n) {
  if (least_ == kNone) raise(first_least(cosines, slacks, n, k_));
  for (std::size_t at = 0; at < n; at += kWord) {
    std::uint64_t bits = within(bound_, cosines + at, slacks + at, n - at);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(bits));
      kept_.push_back({rows[i], cosines[i], slacks[i]});
    }
  }
  if (kept_.size() > most_) prune();
}

void Survivors::merge(const Survivors& other) {
  raise(other.least_);
  kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.end());
}

void Survivors::raise(float least) {
  if (!(least > least_)) return;
  least_ = least;
  bound_ = query_->bound(query_->worst(least));
}

void Survivors::prune() {
  if (kept_.size() > k_) {
    std::vector<float> worst(kept_.size());
    std::transform(kept_.begin(), kept_.end(), worst.begin(), std::mem_fn(&Kept::worst));
    raise(kth_largest(worst, k_));
  }
  std::erase_if(kept_,
                [this](const Kept& each) { return !bound_.is_within(each.cosine, each.slack); });
  most_ = std::max(kLeastKept, 2 * kept_.size());
}

Reranked Survivors::refine(const VectorView& view, const float* query, const RowLess& before,
                           const ScoreKernel& kernel) {
  if (least_ == kNone || kept_.size() > kLeastKept) prune();
  Reranked out;
  TopK best(k_, before);
  std::vector<float> scores(kept_.size());
  const auto score = [&](std::size_t begin, std::size_t end) {
    score_each(view, std::span(kept_).subspan(begin, end - begin), query, kernel,
               scores.data() + begin);
    out.scored += end - begin;
  };
  const auto size = [&](auto end) { return static_cast<std::size_t>(end - kept_.begin()); };
  const auto first = std::partition(kept_.begin(), kept_.end(),
                                    [this](const Kept& each) { return each.worst() >= least_; });
  score(0, size(first));
  auto end = first;
  float kth = kNone;
  if (size(first) >= k_) {
    std::vector<float> known(scores.begin(), scores.begin() + (first - kept_.begin()));
    kth = kth_largest(known, k_);
    const QuantisedBound bound = query_->bound(kth);
    end = std::partition(first, kept_.end(), [&](const Kept& each) {
      return bound.is_within(each.cosine, each.slack);
    });
    score(size(first), size(end));
  }
  for (std::size_t i = 0; i < size(end); ++i) {
    if (scores[i] >= kth) best.offer(kept_[i].row, scores[i]);
  }
  out.rows = best.take();
  out.is_done = true;
  return out;
}

struct FilterPass {
  const VectorView& view;
  std::span<const QuantisedQuery> queries;  // one group
  std::span<const QueryBytes> query_bytes;
  QuantisedCosines cosines;
  std::size_t k;
  std::size_t block_rows;
};

// One worker's reading.
class FilterReader {
 public:
  explicit FilterReader(const FilterPass& filter)
      : filter_(&filter), block_(std::make_unique_for_overwrite<Block>()) {
    kept_.reserve(filter.queries.size());
    for (const QuantisedQuery& query : filter.queries) kept_.emplace_back(query, filter.k);
  }

  void read(Row begin, Row end) {
    const VectorView& view = filter_->view;
    const std::size_t size = view.quantised_shape().size_bytes;
    while (begin < end) {
      const std::size_t most = std::min<std::size_t>(end - begin, view.contiguous(begin));
      const std::size_t n = std::min(most, filter_->block_rows - size_);
      const std::byte* data = view.quantised_row(begin);
      for (std::size_t i = 0; i < n; ++i, ++size_, data += size) {
        block_->rows[size_] = begin + static_cast<Row>(i);
        block_->data[size_] = data;
      }
      begin += static_cast<Row>(n);
      if (size_ == filter_->block_rows) flush();
    }
  }

  // Finishes the block; must follow the last read.
  void flush() {
    if (size_ == 0) return;
    Block& block = *block_;
    for (std::size_t q = 0; q < kept_.size(); q += kTileQueries) {
      const std::size_t n = std::min(kTileQueries, kept_.size() - q);
      filter_->cosines(block.data.data(), size_, filter_->query_bytes.data() + q, n,
                       filter_->view.quantised_shape().numbers, block.cosines.data(), size_,
                       q == 0 ? block.slacks.data() : nullptr);
      for (std::size_t i = 0; i < n; ++i) {
        kept_[q + i].add(block.rows.data(), block.cosines.data() + i * size_, block.slacks.data(),
                         size_);
      }
    }
    size_ = 0;
  }

  std::vector<Survivors>& kept() { return kept_; }

 private:
  struct Block {
    std::array<Row, kBlockRows> rows;
    std::array<const std::byte*, kBlockRows> data;
    std::array<float, kBlockRows> slacks;
    std::array<float, std::max(kBlockRows, kTileQueries* kSharedRows)> cosines;
  };

  const FilterPass* filter_;
  std::vector<Survivors> kept_;  // of each query
  std::size_t size_ = 0;         // rows in the block
  std::unique_ptr<Block> block_;
};

std::vector<Survivors> read_all(const FilterPass& filter, const RankedRanges& rows) {
  const std::uint64_t row_bytes = filter.view.quantised_shape().size_bytes * filter.queries.size();
  const std::uint64_t worth = rows.size() * row_bytes / kBytesPerWorker;
  const auto workers = static_cast<unsigned>(std::clamp<std::uint64_t>(worth, 1, max_workers()));
  std::vector<FilterReader> readers;
  readers.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) readers.emplace_back(filter);
  const std::uint64_t step = std::max<std::uint64_t>(kBlockRows, kTaskBytes / row_bytes);
  parallel_for((rows.size() + step - 1) / step, workers, [&](unsigned worker, std::size_t task) {
    FilterReader& reader = readers[worker];
    rows.visit(task * step, std::min(rows.size(), (task + 1) * step),
               [&](Row begin, Row end) { reader.read(begin, end); });
    reader.flush();
  });
  std::vector<Survivors> kept = std::move(readers[0].kept());
  for (std::size_t w = 1; w < readers.size(); ++w) {
    for (std::size_t q = 0; q < kept.size(); ++q) kept[q].merge(readers[w].kept()[q]);
  }
  return kept;
}

}  // namespace

std::vector<Reranked> lower_bound_filter_top_k(const VectorView& view, const RowSet& allowed,
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
    const FilterPass filter{view,    group, query_bytes,
                            cosines, k,     n == 1 ? kBlockRows : kSharedRows};
    std::vector<Survivors> kept = read_all(filter, rows);
    const auto workers =
        static_cast<unsigned>(std::min<std::size_t>(n / kQueriesPerWorker, max_workers()));
    parallel_for(n, workers, [&](unsigned, std::size_t q) {
      results[at + q] = kept[q].refine(view, queries[at + q], before, kernel);
    });
  }
  return results;
}

}  // namespace knarr
