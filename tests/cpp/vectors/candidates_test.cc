// What a code scan keeps of the rows that it reads.
#include "vectors/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace knarr {
namespace {

// The k-th largest does not depend on the order, nor on how a stream was cut.
TEST(Candidates, WhatStaysDependsOnTheRowsOnly) {
  std::mt19937 random(25);
  std::vector<Row> rows(5000);
  std::iota(rows.begin(), rows.end(), 0);
  const auto upper = [](Row row) { return static_cast<float>(row * 7919 % 5003); };
  for (const std::size_t k : {1u, 10u, 100u, 6000u}) {
    std::vector<Row> expected;
    for (int trial = 0; trial < 5; ++trial) {
      std::shuffle(rows.begin(), rows.end(), random);
      std::vector<Candidates> parts(1 + trial, Candidates(k));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        parts[i % parts.size()].offer(rows[i], upper(rows[i]), upper(rows[i]) - 300);
      }
      for (std::size_t p = 1; p < parts.size(); ++p) parts[0].merge(std::move(parts[p]));
      std::vector<Row> kept;
      for (const Candidate& each : parts[0].take()) kept.push_back(each.row);
      std::sort(kept.begin(), kept.end());
      if (trial == 0) expected = kept;
      ASSERT_EQ(kept, expected);
      ASSERT_GE(kept.size(), std::min(k, rows.size()));
    }
  }
}

// However rows are dealt out to workers, and whenever those look: no row goes that may be among the
// k best, and few stay that may not.
TEST(Candidates, LooksLoseNothing) {
  std::mt19937 random(26);
  std::uniform_real_distribution<float> number(0, 1);
  constexpr std::size_t kRows = 6000;
  std::vector<Candidate> rows;
  std::vector<float> cosines, known;
  for (Row row = 0; row < kRows; ++row) {
    const float upper = std::round(100 * number(random)) / 100;  // many are equal
    rows.push_back({row, upper});
    cosines.push_back(upper + 0.05f - 0.3f * number(random));
    known.push_back(std::min(cosines.back(), upper));
  }
  for (const std::size_t k : {1u, 10u, 150u}) {
    std::vector<float> best = known;
    std::nth_element(best.begin(), best.begin() + k - 1, best.end(), std::greater<>());
    const float floor = best[k - 1];
    for (std::size_t workers = 1; workers < 4; ++workers) {
      std::vector<Candidates> parts(workers, Candidates(k));
      float shared = -1;
      std::vector<Candidate> some;
      for (std::size_t at = 0; at < kRows; at += some.size()) {
        Candidates& part = parts[at % workers];
        part.raise(shared);
        const std::size_t n = std::min<std::size_t>(1 + random() % 400, kRows - at);
        some.assign(rows.begin() + at, rows.begin() + at + n);
        part.offer(some);
        if (random() % 2 != 0) continue;
        const std::size_t wanted = k + random() % 20;
        std::size_t seen = 0;
        part.look(wanted, [&](std::span<const Candidate> shown, float* out) {
          for (const Candidate& each : shown) out[seen++] = cosines[each.row];
        });
        EXPECT_LE(seen, 2 * wanted);
        shared = std::max(shared, part.floor());
      }
      for (std::size_t w = 1; w < workers; ++w) parts[0].merge(std::move(parts[w]));
      std::vector<bool> stays(kRows);
      const std::vector<Candidate> kept = parts[0].take();
      for (const Candidate& each : kept) stays[each.row] = true;
      for (Row row = 0; row < kRows; ++row) EXPECT_TRUE(stays[row] || rows[row].upper < floor);
      EXPECT_LE(shared, floor);
      EXPECT_LT(kept.size(), kRows / 2);
    }
  }
}

}  // namespace
}  // namespace knarr
