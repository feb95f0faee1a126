// One worker reads a sample of chunks and gives up hopeless queries. The other chunks are cut into
// tasks. Each worker keeps candidates of its own for each query, and tells the others which cosine
// k rows are known to reach. Which rows are dropped early depends on who read what when, but none
// is that the rerank would look at (candidates.h), so the result depends on the rows only.
#include "vectors/code_scan.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "vectors/code_reader.h"

namespace knarr {
namespace {

constexpr std::size_t kGroupQueries = 48;  // queries that share one reading of the codes
constexpr std::size_t kFileChunks = 16;    // some hundred kilobytes
constexpr std::size_t kTaskChunks = 4;     // of the shortest task: some microseconds

// The allowed rows that a sample should hold, and the share of the scope that it may be, at most:
// only one worker reads it.
constexpr std::uint64_t kSampleRows = 4096;
constexpr std::uint64_t kSampleRowsPerResult = 32;
constexpr std::uint64_t kLeastPerSampled = 8;

// A row is taken to be at worst this many deviations below its estimate. The k-th best of that must
// not lie above the true k-th best cosine, even when many thousand rows are nearly as good as that
// one: so it is more than the recall target asks for.
constexpr double kWorst = 3.0;

SampledChunks sample_of(std::size_t begin, std::size_t end, std::uint64_t allowed, std::size_t k) {
  const std::uint64_t chunks = end > begin ? end - begin : 0;
  const std::uint64_t rows = std::min<std::uint64_t>(
      std::max<std::uint64_t>(kSampleRows, kSampleRowsPerResult * k), allowed / kLeastPerSampled);
  const std::uint64_t wanted = rows * chunks / allowed;  // an even share of the allowed rows
  const std::uint64_t runs =
      std::min(wanted / SampledChunks::kRun + 1, chunks / (2 * SampledChunks::kRun));
  return runs == 0 ? SampledChunks{} : SampledChunks{begin, chunks / runs, runs};
}

// Cuts chunks into tasks: long ones first, because each begins with chunks that are not prefetched,
// then shorter ones, so that the workers end together. A file is read from the front, so that
// workers stay together.
std::vector<std::size_t> tasks_between(std::size_t begin, std::size_t end, std::size_t workers,
                                       bool from_file) {
  std::vector<std::size_t> cuts{begin};
  while (cuts.back() < end) {
    const std::size_t left = end - cuts.back();
    const std::size_t fair = from_file ? kFileChunks : left / (2 * workers);
    cuts.push_back(cuts.back() + std::clamp<std::size_t>(fair, std::min(kTaskChunks, left), left));
  }
  return cuts;
}

std::vector<CodeReader> read_all(const CodeScan& scan) {
  const std::size_t begin = scan.first_chunk(), end = scan.last_chunk();
  const std::size_t chunks = end > begin ? end - begin : 0;
  if (chunks > 0) scan.codes.ask_for(begin, end);
  const std::size_t bytes =
      chunks == 0 ? 0 : chunks * scan.codes.coder().shape().size_bytes * scan.queries.size();
  const auto workers =
      static_cast<unsigned>(std::clamp<std::size_t>(bytes / kCodeBytesPerWorker, 1, max_workers()));
  std::vector<CodeReader> readers;
  readers.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) readers.emplace_back(scan);
  readers[0].read_sample();
  if (readers[0].is_given_up()) return readers;
  const std::vector<std::size_t> cuts =
      tasks_between(begin, end, workers, !scan.codes.is_checked());
  parallel_for(cuts.size() - 1, workers, [&](unsigned worker, std::size_t task) {
    readers[worker].read_others(cuts[task], cuts[task + 1]);
  });
  return readers;
}

// Answers one group of queries; adds to `out`.
void scan_group(const CodeScan& scan, const RowSet& uncoded, const RowLess& before,
                CodeScanned& out) {
  Stopwatch watch(true);
  std::vector<CodeReader> readers = read_all(scan);
  std::vector<Candidates> kept = std::move(readers[0].kept());
  out.rows_scanned = 0;  // each group reads the same
  for (const CodeReader& reader : readers) out.rows_scanned += reader.scanned();
  for (std::size_t w = 1; w < readers.size(); ++w) {
    for (std::size_t q = 0; q < kept.size(); ++q) kept[q].merge(std::move(readers[w].kept()[q]));
  }
  uncoded.for_each_range([&](Row from, Row to) {
    for (Row row = from; row < to; ++row) {
      for (Candidates& each : kept) each.demand(row);
    }
  });
  out.scan_us += watch.lap_us();

  std::vector<Reranked> ranked(kept.size());
  rerank_each(scan.view, kept, scan.queries, scan.k, before, scan.kernel, quantised_cosines(),
              scan.most, ranked);
  for (Reranked& each : ranked) out.queries.push_back(std::move(each));
  out.rerank_us += watch.lap_us();
}

}  // namespace

double normal_quantile(double probability) {
  double low = 0, high = 8;  // beyond 8 a double does not differ from 1
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    const double below = 1 - 0.5 * std::erfc(middle / std::sqrt(2.0));
    (below < probability ? low : high) = middle;
  }
  return high;
}

CodeScanned code_scan(const VectorView& view, const RowSet& allowed,
                      std::span<const float* const> queries, std::size_t k, double recall_target,
                      const RowLess& before, const ScoreKernel& kernel, const BoundKernel& bounds) {
  CodeScanned out;
  if (allowed.empty()) {
    out.queries.resize(queries.size(), Reranked{{}, 0, true});
    return out;
  }
  k = std::min<std::uint64_t>(k, allowed.size());
  const CodeView& codes = view.codes();
  const AllowedBlocks blocks(allowed, codes.rows());
  const RowSet uncoded = allowed & RowSet::range(codes.rows(), view.size());
  const std::uint64_t most = uncoded.size() + allowed.size() / kMostReranked;
  const auto best = static_cast<float>(normal_quantile(recall_target));
  const auto worst = std::max(best, static_cast<float>(kWorst));
  for (std::size_t at = 0; at < queries.size(); at += kGroupQueries) {
    const auto group = queries.subspan(at, std::min(kGroupQueries, queries.size() - at));
    std::vector<QueryTable> tables;
    for (const float* query : group) {
      if (codes.chunks() > 0) tables.emplace_back(codes.coder(), query);
    }
    std::vector<SharedFloor> floors(group.size());
    CodeScan scan{
        view,   codes,         blocks, group, tables, kernel, score_kernel(Precision::kBfloat16),
        bounds, gather_rows(), k,      most,  best,   worst,  floors,
        {}};
    scan.sample = sample_of(scan.first_chunk(), scan.last_chunk(), allowed.size(), k);
    scan_group(scan, uncoded, before, out);
  }
  return out;
}

}  // namespace knarr
