// Plan "exact": every allowed row against every query.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "filter/rows.h"
#include "vectors/rows/score_kernel.h"
#include "vectors/store.h"
#include "vectors/top_k.h"

namespace knarr {

// Another thread joins a scan for each of these bytes of vectors that it reads: about a tenth of a
// millisecond of work. At dimension 384 one query is answered by one thread up to 2,047 rows of
// float32.
inline constexpr std::size_t kBytesPerWorker = std::size_t{3} << 19;

// The best min(k, allowed.size()) rows for each query. `kernel` is one for the view's precision,
// and queries are unit vectors as it takes them; it is fast when they are aligned to 64 bytes.
// Requires k >= 1 and allowed within view. The kernel decides the last bit of scores; the number of
// threads changes nothing.
std::vector<std::vector<ScoredRow>> exact_top_k(const VectorView& view, const RowSet& allowed,
                                                std::span<const float* const> queries,
                                                std::size_t k, const RowLess& before,
                                                const ScoreKernel& kernel);

}  // namespace knarr
