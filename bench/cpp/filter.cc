// What does a filter cost, as ranges, as bitmaps and as a caller's mask, beside the scan it saves?
#include <algorithm>
#include <string>

#include "filter/rows.h"
#include "harness.h"

namespace knarr::bench {
namespace {

std::vector<std::uint8_t> random_mask(std::size_t n, unsigned one_of, std::size_t run) {
  Random random(7);
  std::vector<std::uint8_t> mask(n);
  for (std::size_t at = 0; at < n; at += run) {
    const auto value = static_cast<std::uint8_t>(random() % one_of == 0);
    for (std::size_t i = at; i < std::min(n, at + run); ++i) mask[i] = value;
  }
  return mask;
}

std::uint64_t visit(const RowSet& rows) {
  std::uint64_t sum = 0;
  rows.for_each_range([&](Row begin, Row end) { sum += end - begin; });
  return sum;
}

// A mask of every kind, from the caller's bytes to ranges.
void callers_sets(const Options& options, const char* name, const std::vector<std::uint8_t>& mask) {
  const RowSet set = RowSet::from_mask(mask);
  const std::string portable = set.to_portable();
  const auto bytes = std::as_bytes(std::span(portable));
  const RowSet scope = RowSet::range(static_cast<Row>(mask.size() / 4),
                                     static_cast<Row>(mask.size() / 4 + mask.size() / 10));
  const auto rows = static_cast<double>(mask.size());
  const Settings settings = {{"rows", number(mask.size())},
                             {"mask", quoted(name)},
                             {"set", number(set.size())},
                             {"set_bytes", number(set.size_bytes())}};
  each("filter", settings, options,
       {{"from_mask", [&] { keep(RowSet::from_mask(mask).is_range()); }, rows, rows},
        {"from_portable", [&] { keep(RowSet::from_portable(bytes).is_range()); }, rows},
        {"to_portable", [&] { keep(set.to_portable().data()); }, rows},
        {"for_each_range", [&] { keep(visit(set)); }, rows},
        {"size", [&] { keep(set.size()); }, rows},
        {"scope & set", [&] { keep((scope & set).is_range()); }, rows / 10},
        {"copy", [&] { keep(RowSet(set).is_range()); }, 1}});
}

// A folder of documents of 100 rows each: one comes, one goes, one row is buried.
void folder(const Options& options) {
  const auto rows = static_cast<Row>(options.rows);
  RowSet live = RowSet::range(0, rows);
  Random random(9);
  for (Row i = 0; i < rows / 200; ++i) {
    const Row at = random() % rows;
    live.remove_range(at, at + 1);
  }
  const RowSet scope = RowSet::range(rows / 2, rows / 2 + rows / 10);
  each("filter",
       {{"rows", number(rows)},
        {"set", quoted("all but 0.5 %")},
        {"set_bytes", number(live.size_bytes())}},
       options,
       {{"range & range", [&] { keep((RowSet::range(5, rows) & scope).is_range()); }},
        {"scope & live", [&] { keep((scope & live).is_range()); }},
        {"for_each_range", [&] { keep(visit(live)); }},
        {"append 100 rows to a copy",
         [&] {
           RowSet draft = live;
           draft.add_range(rows, rows + 100);
           keep(draft.is_range());
         }},
        {"remove 100 rows from a copy", [&] {
           RowSet draft = live;
           draft.remove_range(rows / 3, rows / 3 + 100);
           keep(draft.is_range());
         }}});
}

}  // namespace

void bench_filter(const Options& options) {
  callers_sets(options, "random 1 of 2", random_mask(options.rows, 2, 1));
  callers_sets(options, "random 1 of 100", random_mask(options.rows, 100, 1));
  callers_sets(options, "random runs of 100", random_mask(options.rows, 2, 100));
  folder(options);
}

}  // namespace knarr::bench
