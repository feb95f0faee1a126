// Filter against sets of ints.
#include "filter/filter.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace knarr {
namespace {

constexpr Row kRows = 200;

RowSet make(const std::set<Row>& rows) {
  RowSet out;
  for (const Row row : rows) out.add_range(row, row + 1);
  return out;
}

TEST(Filter, IsTheIntersection) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::set<Row> scope, caller;
    std::array<std::set<Row>, 2> kind;
    for (Row row = 0; row < kRows; ++row) {
      if (random() % 3 != 0) scope.insert(row);
      if (random() % 2 != 0) caller.insert(row);
      kind[random() % 5 == 0].insert(row);
    }
    const KindRows by_kind{make(kind[0]), make(kind[1])};
    for (const Kinds kinds : {Kinds{0}, Kinds{1}, Kinds{2}, Kinds{3}}) {
      for (const bool with_rows : {false, true}) {
        Filter filter{kinds, {}};
        if (with_rows) filter.rows = make(caller);
        std::set<Row> expected;
        for (const Row row : scope) {
          const bool kind_fits = (kinds & (kind[1].contains(row) ? 2 : 1)) != 0;
          if (kind_fits && (!with_rows || caller.contains(row))) expected.insert(row);
        }
        EXPECT_EQ(filter.within(make(scope), by_kind), make(expected));
      }
    }
  }
}

TEST(Filter, CallerRowsBeyondTheEngineAreIgnored) {
  const KindRows by_kind{RowSet::range(0, 10), RowSet()};
  const Filter filter{kAllKinds, RowSet::range(5, 1'000'000)};
  EXPECT_EQ(filter.within(RowSet::range(0, 10), by_kind), RowSet::range(5, 10));
}

TEST(Filter, ScopesStayRanges) {
  const KindRows by_kind{RowSet::range(0, 1000), RowSet()};
  const Filter filter{kind_bit(Kind::kChunk), {}};
  EXPECT_TRUE(filter.within(RowSet::range(10, 20), by_kind).is_range());
}

}  // namespace
}  // namespace knarr
