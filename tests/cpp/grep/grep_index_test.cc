// Grep with its index finds the same as without, whatever the texts, the pattern and the rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/utf8.h"
#include "grep/grep.h"
#include "grep_random.h"

namespace knarr {
namespace {

bool begins_here(std::string_view text, std::size_t at) {
  return at == text.size() || (text[at] & 0xC0) != 0x80;
}

std::vector<Slice> random_slices(std::mt19937& random, std::string_view text, Row first_row) {
  std::vector<std::uint32_t> cuts{0, static_cast<std::uint32_t>(text.size())};
  for (unsigned n = random() % 8; n > 0; --n) {
    const auto cut = static_cast<std::uint32_t>(random() % (text.size() + 1));
    if (begins_here(text, cut)) cuts.push_back(cut);
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<Slice> slices;
  Row row = first_row;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    slices.push_back({row, cuts[i], cuts[i + 1]});
    row += random() % 5 == 0 ? 2 : 1;  // some rows between have no text
  }
  return slices;
}

// Texts in blocks, some of them released again.
struct Library {
  explicit Library(std::mt19937& random) : store(1 + random() % 24) {
    for (unsigned n = 1 + random() % 30; n > 0; --n) {
      const std::string text = random_text(random);
      const auto slices = random_slices(random, text, rows_end);
      rows_end = slices.back().row + 1;
      blocks.push_back({store.append(text, slices), slices.front().row, rows_end});
      if (random() % 4 == 0) store.view();  // indexes the texts so far
      if (random() % 6 == 0) release(random() % blocks.size());
    }
  }
  void release(std::size_t i) {
    store.release(blocks[i].id);
    gone.add_range(blocks[i].begin, blocks[i].end);
  }

  struct Made {
    BlockId id;
    Row begin, end;
  };
  TextStore store;
  std::vector<Made> blocks;
  RowSet gone;
  Row rows_end = 0;
};

RowSet random_rows(std::mt19937& random, const Library& library) {
  RowSet rows = RowSet::range(0, library.rows_end + random() % 3) - library.gone;
  switch (random() % 4) {
    case 0:
      return rows;
    case 1: {  // a scope
      const Row begin = random() % (library.rows_end + 1);
      return rows & RowSet::range(begin, begin + random() % 40);
    }
    default:  // a scope and a filter
      for (unsigned n = random() % 60; n > 0; --n) {
        const Row begin = random() % (library.rows_end + 1);
        rows.remove_range(begin, begin + 1 + random() % 3);
      }
      return rows;
  }
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string random_pattern(std::mt19937& random, int depth);

std::string random_item(std::mt19937& random, int depth) {
  static const char* const parts[] = {"(?:la|sec)te?",
                                      "[Pp]en",
                                      "[a-f]e",
                                      "[^n]e",
                                      ".",
                                      ".*",
                                      ".{0,9}",
                                      "\\s+",
                                      "\\s*",
                                      "\\w+",
                                      "\\b",
                                      "^",
                                      "$",
                                      "\\d",
                                      "\\pL",
                                      "[[:alpha:]]",
                                      "\\x{65}",
                                      "\\Q4.2\\E",
                                      "(?i)",
                                      "(?i:fEe)",
                                      "(?s:.)",
                                      "(?-i)",
                                      "[ïÏ]",
                                      "o{2}",
                                      "b+",
                                      "(?:ab)+",
                                      "(?:ab){1,2}",
                                      "t?",
                                      "\\n",
                                      "\\.",
                                      "(é|É)",
                                      "[ſt]",
                                      "\\pN",
                                      "[^\\D]",
                                      "[^\\W\\n]+",
                                      "[^[:^lower:]]",
                                      "[^[:^lower:][:^upper:]]",
                                      "[^\\pL\\n]*",
                                      "\\x{20}?",
                                      "(?P<name>late|fee)",
                                      "(?:)",
                                      "(?:x|)",
                                      "\\x4c",
                                      "[日月]本"};
  constexpr std::size_t count = sizeof parts / sizeof parts[0];
  switch (random() % 6) {
    case 0:
      return depth > 0 ? "(?:" + random_pattern(random, depth - 1) + ")" : escaped(word(random));
    case 1:
    case 2:
      return parts[random() % count];
    case 3: {
      std::string text = word(random);  // a part of a word
      text = text.substr(0, 2 + random() % text.size());
      while (!text.empty() && text.size() < 2) text += 'a';
      return first_invalid_utf8(text) != text.size() ? std::string("fee") : escaped(text);
    }
    default:
      return escaped(word(random));
  }
}

std::string random_pattern(std::mt19937& random, int depth) {
  std::string out;
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    out += random_item(random, depth);
    if (random() % 3 == 0) out += " ";
    if (random() % 8 == 0) out += "|";
  }
  return out;
}

void expect_same(const GrepResult& with, const GrepResult& without) {
  ASSERT_EQ(with.total, without.total);
  ASSERT_EQ(with.outcome, without.outcome);
  ASSERT_EQ(with.next_offset, without.next_offset);
  ASSERT_EQ(with.matches.size(), without.matches.size());
  for (std::size_t i = 0; i < with.matches.size(); ++i) {
    const GrepMatch& a = with.matches[i];
    const GrepMatch& b = without.matches[i];
    ASSERT_EQ(a.block, b.block);
    ASSERT_EQ(a.begin_byte, b.begin_byte);
    ASSERT_EQ(a.end_byte, b.end_byte);
    ASSERT_EQ(a.line, b.line);
    ASSERT_EQ(a.column, b.column);
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.excerpt, b.excerpt);
  }
}

GrepOptions random_options(std::mt19937& random) {
  GrepOptions options;
  options.ignore_case = random() % 3 == 0;
  options.literal = random() % 8 == 0;
  options.limit = random() % 4 == 0 ? random() % 5 : kMaxMatchesShown;
  options.offset = random() % 8 == 0 ? random() % 3 : 0;
  options.width = 1 + random() % 80;
  return options;
}

TEST(GrepIndex, FindsWhatAFullScanFinds) {
  std::mt19937 random(4);
  std::uint64_t matches = 0;
  std::uint64_t refused = 0;
  std::uint64_t searched = 0;
  std::uint64_t all = 0;
  for (int round = 0; round < 1'000; ++round) {
    Library library(random);
    const TextView view = library.store.view();
    for (int i = 0; i < 8; ++i) {
      const RowSet allowed = random_rows(random, library);
      GrepOptions options = random_options(random);
      const std::string pattern = options.literal
                                      ? word(random) + (random() % 2 ? " " + word(random) : "")
                                      : random_pattern(random, 2);
      SCOPED_TRACE("'" + pattern + "', round " + std::to_string(round));
      try {
        options.index = IndexUse::kNever;
        const GrepResult without =
            grep(view, allowed, options.literal ? pattern : opaque(pattern), options);
        options.index = IndexUse::kAlways;
        const GrepResult with = grep(view, allowed, pattern, options);
        expect_same(with, without);
        if (testing::Test::HasFatalFailure()) return;
        ASSERT_LE(with.bytes_allowed, without.bytes_allowed);
        matches += with.total;
        searched += with.bytes_allowed;
        all += without.bytes_allowed;
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(matches, 8'000u);
  EXPECT_LT(refused, 1'500u);
  EXPECT_LT(searched, all - all / 10);  // the index excludes something
}

// A slice may end inside a CRLF, whose CR has no match text: there is nothing to search in it.
TEST(GrepIndex, ACarriageReturnAloneIsNotSearched) {
  std::string text = "needle here\r\nneedle there";
  text.append(200, 'x');
  TextStore store(1);
  store.append(text,
               std::vector<Slice>{
                   {0, 0, 11}, {1, 11, 12}, {2, 12, static_cast<std::uint32_t>(text.size())}});
  const TextView view = store.view();
  ASSERT_GT(view.pages().unit_count(), 0u);
  for (const IndexUse use : {IndexUse::kAlways, IndexUse::kNever}) {
    GrepOptions options;
    options.index = use;
    EXPECT_EQ(grep(view, RowSet::range(1, 2), "needle", options).bytes_allowed, 0u);
    EXPECT_EQ(grep(view, RowSet::range(0, 2), "needle", options).total, 1u);
  }
}

}  // namespace
}  // namespace knarr
