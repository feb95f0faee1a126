#include "vectors/sieve.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/parallel.h"
#include "vectors/exact.h"
#include "vectors/ranked_ranges.h"

namespace knarr {
namespace {

constexpr std::size_t kBlockRows = 512;
constexpr std::uint64_t kTaskRows = 4096;

struct Sieve {
  const VectorView& view;
  const ShortQuery& query;
  ShortProducts products;
};

// One worker's reading.
class Reader {
 public:
  Reader(const Sieve& sieve, std::size_t k) : sieve_(&sieve), kept_(k) {}

  void read(Row begin, Row end) {
    for (; begin < end; ++begin) {
      rows_[size_] = begin;
      data_[size_] = sieve_->view.short_row(begin);
      if (++size_ == kBlockRows) flush();
    }
  }

  // Finishes the block; must follow the last read.
  void flush() {
    const ShortShape& shape = sieve_->view.short_shape();
    const ShortQuery& query = sieve_->query;
    sieve_->products(data_.data(), size_, query.numbers(), shape.numbers, products_.data());
    for (std::size_t i = 0; i < size_; ++i) {
      const float estimate =
          static_cast<float>(products_[i]) * (shape.step(data_[i]) * query.step());
      const float error = shape.slack(data_[i]) * query.length() + query.error();
      kept_.offer(rows_[i], estimate + error, estimate - error);
    }
    size_ = 0;
  }

  Candidates& kept() { return kept_; }

 private:
  const Sieve* sieve_;
  Candidates kept_;
  std::size_t size_ = 0;  // rows in the block
  std::array<Row, kBlockRows> rows_;
  std::array<const std::byte*, kBlockRows> data_;
  std::array<std::int32_t, kBlockRows> products_;
};

}  // namespace

Reranked sieve_top_k(const VectorView& view, const RowSet& allowed, const float* query,
                     std::size_t k, const RowLess& before, const ScanKernel& kernel,
                     ShortProducts products) {
  const RankedRanges rows(allowed);
  k = std::min<std::uint64_t>(k, rows.size());
  const ShortQuery short_query({query, view.dim()}, view.short_shape());
  const Sieve sieve{view, short_query, products};
  const std::uint64_t worth = rows.size() * view.short_shape().size_bytes / kBytesPerWorker;
  const auto workers = static_cast<unsigned>(std::clamp<std::uint64_t>(worth, 1, max_workers()));
  std::vector<Reader> readers;
  readers.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) readers.emplace_back(sieve, k);
  parallel_for((rows.size() + kTaskRows - 1) / kTaskRows, workers,
               [&](unsigned worker, std::size_t task) {
                 Reader& reader = readers[worker];
                 rows.visit(task * kTaskRows, std::min(rows.size(), (task + 1) * kTaskRows),
                            [&](Row begin, Row end) { reader.read(begin, end); });
                 reader.flush();
               });
  Candidates& kept = readers[0].kept();
  for (unsigned w = 1; w < workers; ++w) kept.merge(std::move(readers[w].kept()));
  return rerank(view, kept.take(), query, k, before, kernel,
                std::numeric_limits<std::uint64_t>::max());
}

}  // namespace knarr
