// Grep compared with its reference: random patterns, texts, slice borders and allowed rows.
#include "grep_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "grep/grep.h"
#include "grep/pattern/facts.h"
#include "grep_random.h"

namespace knarr {
namespace {

std::string short_text(std::mt19937& random) {
  static const char* const pieces[] = {"a", "b", "a", "c", " ", "é", "\n", "\r\n", "\r", "\n"};
  std::string text;
  const unsigned kinds = random() % 3 == 0 ? 7 : 10;  // some texts have LF only
  for (unsigned n = 1 + random() % 14; n > 0; --n) text += pieces[random() % kinds];
  return text;
}

std::vector<Slice> random_slices(std::mt19937& random, std::string_view text, Row first_row) {
  std::vector<std::uint32_t> cuts{0, static_cast<std::uint32_t>(text.size())};
  for (unsigned n = random() % 5; n > 0; --n) {
    const auto cut = static_cast<std::uint32_t>(random() % (text.size() + 1));
    if (cut == text.size() || (text[cut] & 0xC0) != 0x80) cuts.push_back(cut);
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<Slice> slices;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    slices.push_back({first_row + static_cast<Row>(i), cuts[i], cuts[i + 1]});
  }
  return slices;
}

RowSet random_rows(std::mt19937& random, const std::vector<Slice>& slices) {
  RowSet rows;
  const unsigned mode = random() % 3;
  for (const Slice& slice : slices) {
    if (mode == 0 || random() % 3 != 0) rows.add_range(slice.row, slice.row + 1);
  }
  return rows;
}

// Maximal runs of allowed adjacent slices, straight from the definition.
std::vector<reference::Found> runs_of(const std::vector<Slice>& slices, const RowSet& allowed) {
  std::vector<reference::Found> runs;
  bool open = false;
  for (const Slice& slice : slices) {
    const bool is_allowed = allowed.contains(slice.row);
    if (is_allowed && open) runs.back().end_byte = slice.end_byte;
    if (is_allowed && !open) runs.push_back({slice.begin_byte, slice.end_byte});
    open = is_allowed;
  }
  return runs;
}

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
  return out;
}

std::uint32_t line_of(std::string_view text, std::uint32_t byte) {
  std::uint32_t line = 1;
  for (const reference::Unit& unit : reference::units_of(text)) {
    const bool closes = unit.text == "\n" && unit.end <= byte && unit.end < text.size();
    line += closes ? 1 : 0;
  }
  return line;
}

TEST(GrepReference, AgreesOnRandomTextsAndPatterns) {
  std::mt19937 random(20261129);
  reference::Generator generator(random);
  GrepOptions options;
  options.limit = kMaxMatchesShown;
  std::size_t matches = 0;
  for (int round = 0; round < 20'000; ++round) {
    const reference::NodePtr pattern = generator.pattern();
    const std::string printed = reference::print(*pattern);
    const std::string text = short_text(random);
    const auto slices = random_slices(random, text, 5);
    const RowSet allowed = random_rows(random, slices);
    SCOPED_TRACE("'" + printed + "' on '" + shown(text) + "', round " + std::to_string(round));

    TextStore store;
    store.append(text, slices);
    const GrepResult result = grep(store.view(), allowed, printed, options);

    std::vector<reference::Found> expected;
    for (const auto& run : runs_of(slices, allowed)) {
      const auto found = reference::find_all(*pattern, text, run.begin_byte, run.end_byte);
      expected.insert(expected.end(), found.begin(), found.end());
    }
    std::vector<reference::Found> got;
    for (const GrepMatch& match : result.matches) got.push_back({match.begin_byte, match.end_byte});
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].begin_byte, expected[i].begin_byte) << "match " << i;
      ASSERT_EQ(got[i].end_byte, expected[i].end_byte) << "match " << i;
    }
    ASSERT_EQ(result.total, expected.size());
    ASSERT_EQ(result.bytes_searched, result.bytes_allowed);
    for (const GrepMatch& match : result.matches) {
      ASSERT_EQ(match.line, line_of(text, match.begin_byte));
      ASSERT_FALSE(match.rows.empty());
      for (const Row row : match.rows) ASSERT_TRUE(allowed.contains(row));
      for (const Slice& slice : slices) {  // all rows it touches, and no other
        const bool touches = slice.begin_byte < match.end_byte && match.begin_byte < slice.end_byte;
        const bool named =
            std::find(match.rows.begin(), match.rows.end(), slice.row) != match.rows.end();
        if (match.begin_byte < match.end_byte) {
          ASSERT_EQ(touches && slice.begin_byte < slice.end_byte, named);
        }
      }
      ASSERT_EQ(match.excerpt.find_first_of("\r\n"), std::string::npos);
    }
    matches += expected.size();
  }
  EXPECT_GT(matches, 20'000u);  // the generator finds something to compare
}

// A pattern with a large program is matched on small pieces (here of about 25 kB); the matches must
// be the same.
TEST(GrepReference, PiecesDoNotShow) {
  std::mt19937 random(7);
  reference::Generator generator(random);
  std::string text;
  while (text.size() < 70'000) text += short_text(random) + (random() % 4 == 0 ? "\n" : "");
  TextStore store;
  const auto middle = static_cast<std::uint32_t>(text.find('\n', 33'000));
  store.append(text, std::vector<Slice>{{0, 0, middle},
                                        {1, middle, static_cast<std::uint32_t>(text.size())}});
  GrepOptions options;
  options.limit = kMaxMatchesShown;
  for (int round = 0; round < 15; ++round) {
    const std::string pattern = reference::print(*generator.pattern());
    const std::string costly = pattern + "|Q{1,900}Z";  // the second half matches nothing here
    SCOPED_TRACE(pattern);
    const auto plain = grep(store.view(), RowSet::range(0, 2), pattern, options);
    const auto pieces = grep(store.view(), RowSet::range(0, 2), costly, options);
    ASSERT_EQ(plain.total, pieces.total);
    ASSERT_EQ(plain.matches.size(), pieces.matches.size());
    for (std::size_t i = 0; i < plain.matches.size(); ++i) {
      ASSERT_EQ(plain.matches[i].begin_byte, pieces.matches[i].begin_byte);
      ASSERT_EQ(plain.matches[i].end_byte, pieces.matches[i].end_byte);
    }
  }
}

// A pattern with a required text is matched only where that text is. Of an opaque pattern no text
// is known, and everything is matched.
TEST(GrepReference, RequiredTextDoesNotShow) {
  std::mt19937 random(77);
  reference::Generator generator(random);
  GrepOptions options;
  options.limit = kMaxMatchesShown;
  std::uint64_t matches = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += random() % 3 == 0 ? "aab" : short_text(random);
    const auto slices = random_slices(random, text, 0);
    const RowSet allowed = random_rows(random, slices);
    TextStore store;
    store.append(text, slices);
    const std::string pattern = reference::print(*generator.pattern()) + "aab" +
                                (random() % 2 ? reference::print(*generator.pattern()) : "");
    SCOPED_TRACE("'" + pattern + "' on '" + shown(text) + "'");
    const auto some = grep(store.view(), allowed, pattern, options);
    const auto all = grep(store.view(), allowed, opaque(pattern), options);
    const std::string required = pattern_facts(pattern, false, false).required;
    ASSERT_GE(required.size(), 3u);
    ASSERT_EQ(some.total, all.total);
    for (std::size_t i = 0; i < all.matches.size(); ++i) {
      ASSERT_EQ(some.matches[i].begin_byte, all.matches[i].begin_byte);
      ASSERT_EQ(some.matches[i].end_byte, all.matches[i].end_byte);
      std::string match;
      for (const auto& unit : reference::units_of(text)) {
        const bool is_inside =
            all.matches[i].begin_byte < unit.end && unit.end <= all.matches[i].end_byte;
        if (is_inside) match += unit.text;
      }
      ASSERT_NE(match.find(required), std::string::npos) << shown(match);
    }
    matches += all.total;
  }
  EXPECT_GT(matches, 2'000u);
}

}  // namespace
}  // namespace knarr
