// What a sieve keeps for one query: the rows that may be among the k best.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/types.h"
#include "vectors/rerank.h"
#include "vectors/rows/quantised_rows.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

class Sifted {
 public:
  // `query` must outlive this. Requires k >= 1.
  Sifted(const QuantisedQuery& query, std::size_t k) : query_(&query), k_(k) {
    kept_.reserve(kLeastKept);
  }

  // Adds those of n rows that may be among the k best of all that were shown.
  void add(const Row* rows, const float* cosines, const float* slacks, std::size_t n);

  // Adds what another kept of other rows.
  void merge(const Sifted& other);

  // Scores those that are left, as far as they may be among the k best: `query` is the one that
  // this was made with, as the kernel takes it.
  Reranked settle(const VectorView& view, const float* query, const RowLess& before,
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
  float least_ = kNone;  // k rows have a cosine less their slack that is not below
  QuantisedBound bound_{kNone, 0};
  std::vector<Kept> kept_;
  std::size_t most_ = kLeastKept;  // rows that are kept without looking again
};

}  // namespace knarr
