// RowSet beside its dull model, std::set<Row>.
#include "filter/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace knarr {
namespace {

using Model = std::set<Row>;
using Ranges = std::vector<std::pair<Row, Row>>;

Ranges ranges_of(const RowSet& rows) {
  Ranges out;
  rows.for_each_range([&](Row begin, Row end) { out.emplace_back(begin, end); });
  return out;
}

Ranges ranges_of(const Model& model) {
  Ranges out;
  for (Row row : model) {
    if (!out.empty() && out.back().second == row) {
      ++out.back().second;
    } else {
      out.emplace_back(row, row + 1);
    }
  }
  return out;
}

RowSet set_of(const Ranges& ranges) {
  RowSet rows;
  for (auto [begin, end] : ranges) rows.add_range(begin, end);
  return rows;
}

RowSet from_string(const std::string& bytes) {
  return RowSet::from_portable(std::as_bytes(std::span(bytes)));
}

void expect_equal(const RowSet& rows, const Model& model) {
  const Ranges expected = ranges_of(model);
  ASSERT_EQ(ranges_of(rows), expected);
  ASSERT_EQ(rows.size(), model.size());
  ASSERT_EQ(rows.empty(), model.empty());
  ASSERT_EQ(rows.is_range(), expected.size() <= 1);
  ASSERT_EQ(rows.first(), model.empty() ? kNoRow : *model.begin());
  ASSERT_EQ(rows.last(), model.empty() ? kNoRow : *model.rbegin());
}

TEST(RowSet, EmptyAndInvertedRangesAreOneValue) {
  EXPECT_TRUE(RowSet().empty());
  EXPECT_TRUE(RowSet::range(5, 5).empty());
  EXPECT_TRUE(RowSet::range(9, 2).empty());
  EXPECT_EQ(RowSet::range(9, 2), RowSet());
  EXPECT_EQ(RowSet().first(), kNoRow);
  EXPECT_EQ(RowSet().last(), kNoRow);
  EXPECT_FALSE(RowSet().contains(0));
  EXPECT_TRUE(ranges_of(RowSet()).empty());
}

TEST(RowSet, ARangeStaysARange) {
  RowSet rows;
  for (Row at = 0; at < 1000; at += 10) rows.add_range(at, at + 10);  // documents appended in turn
  EXPECT_TRUE(rows.is_range());
  EXPECT_EQ(rows, RowSet::range(0, 1000));
  rows.remove_range(0, 100);
  rows.remove_range(900, 2000);
  EXPECT_EQ(rows, RowSet::range(100, 900));
  EXPECT_TRUE((rows & RowSet::range(50, 200)).is_range());
  rows.remove_range(300, 400);
  EXPECT_FALSE(rows.is_range());
  rows.add_range(250, 450);  // the gap closes
  EXPECT_TRUE(rows.is_range());
  EXPECT_EQ(rows, RowSet::range(100, 900));
  EXPECT_EQ(rows.size_bytes(), sizeof(RowSet));
}

TEST(RowSet, ReachesTheLastRow) {
  RowSet rows = RowSet::range(kNoRow - 1, kNoRow);
  EXPECT_TRUE(rows.contains(kNoRow - 1));
  EXPECT_FALSE(rows.contains(kNoRow));
  rows.add_range(0, 1);
  EXPECT_EQ(ranges_of(rows), (Ranges{{0, 1}, {kNoRow - 1, kNoRow}}));
  EXPECT_EQ(RowSet::range(0, kNoRow).size(), kNoRow);
}

TEST(RowSet, ACopyIsIndependent) {
  RowSet a = set_of({{0, 10}, {20, 30}});
  RowSet b = a;
  b.add_range(100, 110);
  RowSet c = b;
  c.remove(a);
  EXPECT_EQ(ranges_of(a), (Ranges{{0, 10}, {20, 30}}));
  EXPECT_EQ(ranges_of(b), (Ranges{{0, 10}, {20, 30}, {100, 110}}));
  EXPECT_EQ(ranges_of(c), (Ranges{{100, 110}}));
  a = RowSet::range(1, 2);
  EXPECT_EQ(b.size(), 30u);
}

TEST(RowSet, WorksOnItself) {
  RowSet a = set_of({{0, 10}, {20, 30}});
  const RowSet copy = a;
  const RowSet& self = a;
  a.add(self);
  EXPECT_EQ(a, copy);
  EXPECT_EQ(a & self, copy);
  EXPECT_TRUE((a - self).empty());
  a.remove(self);
  EXPECT_TRUE(a.empty());
}

TEST(RowSet, VisitingStopsWhenAsked) {
  for (const RowSet& rows : {set_of({{0, 10}, {20, 30}, {70'000, 70'001}}), RowSet::range(0, 9)}) {
    int calls = 0;
    rows.for_each_range([&](Row, Row) {
      ++calls;
      return false;
    });
    EXPECT_EQ(calls, 1);
  }
}

// A row near a container's border (65,536 rows), near the start, or far out.
Row random_row(std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return random() % 300;
    case 1:
      return 65'536 - 150 + random() % 300;
    case 2:
      return 3 * 65'536 - 40 + random() % 80;
    default:
      return random() % 400'000;
  }
}

RowSet random_set(std::mt19937& random, Model& model) {
  RowSet rows;
  model.clear();
  for (unsigned n = random() % 12; n > 0; --n) {
    const Row begin = random_row(random);
    const Row end = begin + random() % 200;
    rows.add_range(begin, end);
    for (Row row = begin; row < end; ++row) model.insert(row);
  }
  return rows;
}

TEST(RowSet, RandomEditsAgreeWithStdSet) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    RowSet rows;
    Model model;
    for (int step = 0; step < 120; ++step) {
      const Row begin = random_row(random);
      const Row end = begin + random() % (step % 10 == 0 ? 5000 : 120);
      const RowSet before = rows;  // a share, so that a change must copy
      const Model model_before = step % 40 == 0 ? model : Model();
      switch (random() % 4) {
        case 0:
        case 1:
          rows.add_range(begin, end);
          for (Row row = begin; row < end; ++row) model.insert(row);
          break;
        case 2:
          rows.remove_range(begin, end);
          model.erase(model.lower_bound(begin), model.lower_bound(end));
          break;
        default: {
          Model other_model;
          const RowSet other = random_set(random, other_model);
          if (random() % 2 == 0) {
            rows.add(other);
            model.insert(other_model.begin(), other_model.end());
          } else {
            rows.remove(other);
            for (Row row : other_model) model.erase(row);
          }
        }
      }
      ASSERT_NO_FATAL_FAILURE(expect_equal(rows, model)) << "round " << round << " step " << step;
      for (int probe = 0; probe < 10; ++probe) {
        const Row row = random_row(random);
        ASSERT_EQ(rows.contains(row), model.count(row) == 1);
      }
      if (step % 40 == 0) {
        ASSERT_NO_FATAL_FAILURE(expect_equal(before, model_before));
      }
    }
  }
}

TEST(RowSet, OperatorsAgreeWithStdSet) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    Model a, b, both, either, only;
    const RowSet x = random_set(random, a);
    const RowSet y = random_set(random, b);
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::inserter(either, either.end()));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(only, only.end()));
    ASSERT_NO_FATAL_FAILURE(expect_equal(x & y, both));
    ASSERT_NO_FATAL_FAILURE(expect_equal(x | y, either));
    ASSERT_NO_FATAL_FAILURE(expect_equal(x - y, only));
    ASSERT_EQ(x == y, a == b);
    ASSERT_EQ(x.intersects(y), !both.empty());
    ASSERT_EQ(x.is_within(y), both == a);
    ASSERT_TRUE((x & y).is_within(x) && x.is_within(x | y));
    ASSERT_EQ(x.shared(y), both.size());
    ASSERT_EQ((x - y) | (x & y), x);
    ASSERT_NO_FATAL_FAILURE(expect_equal(x, a));
  }
}

TEST(RowSet, DenseSparseAndRunContainersRoundTrip) {
  std::mt19937 random(3);
  std::vector<std::uint8_t> mask(5 * 65'536 + 77);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const std::size_t container = i / 65'536;
    const bool one = container == 0   ? random() % 2 == 0    // dense words
                     : container == 1 ? random() % 100 == 0  // sparse values
                     : container == 2 ? i % 1000 < 900       // runs
                     : container == 3 ? false                // nothing
                                      : true;                // everything
    mask[i] = one ? static_cast<std::uint8_t>(1 + random() % 255) : 0;
  }
  Model model;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0) model.insert(static_cast<Row>(i));
  }
  const RowSet rows = RowSet::from_mask(mask);
  ASSERT_NO_FATAL_FAILURE(expect_equal(rows, model));
  const RowSet back = from_string(rows.to_portable());
  ASSERT_NO_FATAL_FAILURE(expect_equal(back, model));
  EXPECT_EQ(back, rows);
}

TEST(RowSet, MasksAtTheEdges) {
  EXPECT_TRUE(RowSet::from_mask({}).empty());
  for (std::size_t n : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 200u}) {
    std::vector<std::uint8_t> mask(n, 0);
    EXPECT_TRUE(RowSet::from_mask(mask).empty());
    mask.back() = 1;
    EXPECT_EQ(RowSet::from_mask(mask), RowSet::range(n - 1, n));
    std::fill(mask.begin(), mask.end(), 255);
    EXPECT_EQ(RowSet::from_mask(mask), RowSet::range(0, n));
  }
}

TEST(RowSet, RangesRoundTripThroughBytes) {
  for (const RowSet& rows : {RowSet(), RowSet::range(0, 1), RowSet::range(5, 300'000),
                             RowSet::range(kNoRow - 3, kNoRow)}) {
    EXPECT_EQ(from_string(rows.to_portable()), rows);
  }
}

std::string refusal(const std::string& bytes) {
  try {
    from_string(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(RowSet, RefusesBytesThatAreNoBitmap) {
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("hello, this is text"), "");
  const std::string good = set_of({{0, 10}, {20, 30}}).to_portable();
  EXPECT_EQ(refusal(good), "");
  EXPECT_NE(refusal(good + "x").find("ends after"), std::string::npos);
  // One sparse container, key 65535, value 65535: the number that is no row.
  const std::string last("\x3a\x30\0\0\x01\0\0\0\xff\xff\0\0\x10\0\0\0\xff\xff", 18);
  EXPECT_NE(refusal(last).find("no row"), std::string::npos);
}

// Whatever damaged bytes hold, the answer is an Error or a set that behaves.
void probe_damaged(const std::string& bytes) {
  try {
    const RowSet rows = from_string(bytes);
    std::uint64_t total = 0;
    std::uint64_t last_end = 0;
    rows.for_each_range([&](Row begin, Row end) {
      ASSERT_LT(begin, end);
      ASSERT_TRUE(total == 0 || last_end < begin);
      last_end = end;
      total += end - begin;
    });
    ASSERT_EQ(total, rows.size());
    ASSERT_EQ(from_string(rows.to_portable()), rows);
    ASSERT_EQ((rows & RowSet::range(10, 200'000)) | (rows - RowSet::range(10, 200'000)), rows);
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), ErrorCode::kInvalidArgument);
  }
}

TEST(RowSet, DamagedBytesNeverCrash) {
  std::mt19937 random(5);
  std::vector<std::uint8_t> mask(6 * 65'536);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = i < 65'536 ? random() % 2 == 0 : i % 65'536 < 300 && i % 7 != 0;
  }
  std::vector<std::string> goods = {
      set_of({{0, 10}, {20, 30}, {70'000, 90'000}}).to_portable(),
      set_of({{1, 2}, {5, 6}, {9, 10}}).to_portable(),
      RowSet::from_mask(mask).to_portable(),
  };
  for (const std::string& good : goods) {
    for (std::size_t cut = 0; cut < good.size(); cut += 1 + good.size() / 200) {
      EXPECT_NE(refusal(good.substr(0, cut)), "") << "cut at " << cut;
    }
    for (int round = 0; round < 1500; ++round) {
      std::string bad = good;
      const std::size_t head = std::min<std::size_t>(bad.size(), 96);
      for (unsigned n = 1 + random() % 4; n > 0; --n) {
        const std::size_t at = random() % 3 == 0 ? random() % bad.size() : random() % head;
        bad[at] = static_cast<char>(random() % 2 == 0 ? random() : bad[at] ^ (1 << random() % 8));
      }
      ASSERT_NO_FATAL_FAILURE(probe_damaged(bad));
    }
  }
  for (int round = 0; round < 2000; ++round) {  // noise behind each of the two cookies
    std::string noise(4 + random() % 60, '\0');
    for (char& c : noise) c = static_cast<char>(random() % 3 == 0 ? random() : random() % 4);
    noise[0] = round % 2 == 0 ? '\x3b' : '\x3a';
    noise[1] = '\x30';
    ASSERT_NO_FATAL_FAILURE(probe_damaged(noise));
  }
}

TEST(RowSet, ManyEditsKeepTheBitmapSmall) {
  RowSet rows;
  std::mt19937 random(2);
  std::vector<Row> documents(4000);
  for (Row i = 0; i < documents.size(); ++i) documents[i] = i * 250;
  std::shuffle(documents.begin(), documents.end(), random);
  for (Row begin : documents) rows.add_range(begin, begin + 249);  // one tombstone in each
  EXPECT_EQ(rows.size(), documents.size() * 249);
  // 4 bytes a run, some slack for the edits since the last packing; plain bits would take 125 kB.
  EXPECT_LT(rows.size_bytes(), 40'000u);
}

TEST(RowSet, WordsHoldTheRows) {
  RowSet gaps = RowSet::range(3, 70'000);
  gaps.remove_range(64, 128);
  gaps.remove_range(500, 501);
  gaps.add_range(200'000, 200'001);
  for (const RowSet& set :
       {RowSet(), RowSet::range(0, 1), RowSet::range(63, 64), RowSet::range(64, 129), gaps}) {
    const std::vector<std::uint64_t> words = set.to_words();
    EXPECT_EQ(words.size(), set.empty() ? 0 : set.last() / 64 + 1);
    for (Row row = 0; row < words.size() * 64; ++row) {
      ASSERT_EQ((words[row / 64] >> (row % 64) & 1) != 0, set.contains(row)) << row;
    }
  }
}

}  // namespace
}  // namespace knarr
