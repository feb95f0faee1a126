// Grep with its index beside grep without: the same, whatever the texts, the pattern and the rows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "base/error.h"
#include "engine/engine.h"
#include "grep/facts.h"
#include "grep/finder.h"
#include "grep/fold.h"
#include "grep/grep.h"
#include "grep/text_codec.h"
#include "grep/utf8.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

const std::vector<std::string> kWords = {
    "late",    "fee",  "Penalty", "penalty",     "LATE",   "naïve",  "NAÏVE",   "école",   "École",
    "ſtop",    "stop", "STOP",    "\u212Aelvin", "kelvin", "日本語", "договор", "ДОГОВОР", "straße",
    "section", "4.2",  "100%",    "aab",         "abab",   "x",      "(i)"};

std::string word(std::mt19937& random) { return kWords[random() % kWords.size()]; }

std::string random_text(std::mt19937& random) {
  static const char* const gaps[] = {" ", " ", " ", "", "\n", "\n", "\r\n", "\r", " \n ", "-"};
  std::string text;
  const unsigned kinds = random() % 3 == 0 ? 6 : 10;
  for (unsigned n = random() % 60; n > 0; --n) text += word(random) + gaps[random() % kinds];
  return text;
}

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
    row += random() % 5 == 0 ? 2 : 1;  // rows of no text lie between
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
      if (random() % 4 == 0) store.view();  // what is there now is indexed
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

// The same pattern, of which nothing can be told: it is matched byte by byte, over everything.
std::string opaque(const std::string& pattern) {
  return "(?:" + pattern + R"()|[^\x00-\x{10FFFF}]\C)";
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

TEST(GrepIndex, SaysWhatAFullScanSays) {
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
  EXPECT_LT(searched, all - all / 10);  // the index rules something out
}

// --- In a snapshot -------------------------------------------------------------------------------

struct TemporaryFile {
  TemporaryFile() : path(testing::TempDir() + "grep_index_test." + std::to_string(::getpid())) {}
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string path;
};

// Texts that fill units of the usual size.
TextStore long_texts(std::mt19937& random, int blocks) {
  TextStore store;
  Row row = 0;
  for (int i = 0; i < blocks; ++i) {
    std::string text;
    while (text.size() < 40'000) text += random_text(random) + "\r\n";
    store.append(text, std::vector<Slice>{{row++, 0, static_cast<std::uint32_t>(text.size())}});
  }
  return store;
}

std::shared_ptr<const Snapshot> saved(const TextView& texts, const std::string& path) {
  SnapshotWriter writer(path);
  save_texts(texts, writer);
  writer.finish();
  return Snapshot::open(path);
}

void expect_same_tables(const PageIndex::View& a, const PageIndex::View& b) {
  ASSERT_EQ(a.unit_count(), b.unit_count());
  for (std::size_t u = 0; u < a.unit_count(); ++u) {
    ASSERT_EQ(a.unit(u).spans(), b.unit(u).spans());
    ASSERT_EQ(a.unit(u).table_words(), b.unit(u).table_words());
    ASSERT_TRUE(std::equal(a.unit(u).words(), a.unit(u).words() + a.unit(u).table_words(),
                           b.unit(u).words()));
  }
}

TEST(GrepIndex, IsMappedFromASnapshot) {
  std::mt19937 random(5);
  TextStore store = long_texts(random, 30);
  const TextView view = store.view();
  ASSERT_EQ(view.pages().unit_count(), 2u);  // a large one, a small one
  const TemporaryFile file;
  const auto snapshot = saved(view, file.path);
  ASSERT_TRUE(snapshot->has("text.index"));
  TextStore loaded = load_texts(snapshot);
  expect_same_tables(loaded.view().pages(), view.pages());
  const auto* first = reinterpret_cast<const std::byte*>(loaded.view().pages().unit(0).words());
  const auto section = snapshot->section("text.index");
  EXPECT_TRUE(section.data() <= first && first < section.data() + section.size());
}

// What was released leaves holes; the saved texts are indexed anew then.
TEST(GrepIndex, WithHolesIsMadeAnewFromASnapshot) {
  std::mt19937 random(6);
  TextStore store = long_texts(random, 30);
  store.view();
  store.release(3);
  const TemporaryFile file;
  const auto snapshot = saved(store.view(), file.path);
  EXPECT_FALSE(snapshot->has("text.index"));
  TextStore loaded = load_texts(snapshot);
  const TextView view = loaded.view();
  EXPECT_GT(view.pages().unit_count(), 0u);
  GrepOptions options;
  options.limit = 0;
  options.index = IndexUse::kAlways;
  const auto with = grep(view, RowSet::range(0, 30), "Penalty late", options);
  options.index = IndexUse::kNever;
  EXPECT_EQ(with.total, grep(view, RowSet::range(0, 30), "Penalty late", options).total);
  EXPECT_GT(with.total, 0u);
}

TEST(GrepIndex, OfAnotherSizeThanTheTextsIsRefused) {
  std::mt19937 random(7);
  const TextView view = long_texts(random, 30).view();
  const TemporaryFile file;
  const auto snapshot = saved(view, file.path);
  const TemporaryFile other;
  SnapshotWriter writer(other.path + ".cut");
  for (const std::string_view name : {"text.bytes", "text.blocks"}) {
    writer.add(name, snapshot->section_text(name));
  }
  writer.add("text.index",
             snapshot->section_text("text.index").substr(0, 64 + kLines * sizeof(std::uint64_t)));
  writer.finish();
  const auto cut = Snapshot::open(other.path + ".cut");
  try {
    load_texts(cut);
    ADD_FAILURE() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorruption);
  }
  std::remove((other.path + ".cut").c_str());
}

// --- Over time -----------------------------------------------------------------------------------

// Texts come and go: the index stays as large as what is there.
TEST(GrepIndex, ChurnLeavesItsSize) {
  std::mt19937 random(8);
  TextStore store;
  Row row = 0;
  std::string text;
  while (text.size() < 30'000) text += random_text(random);
  const auto append = [&] {
    const auto size = static_cast<std::uint32_t>(text.size());
    return store.append(text, std::vector<Slice>{{row++, 0, size}});
  };
  std::vector<BlockId> alive;
  for (int i = 0; i < 100; ++i) alive.push_back(append());
  const std::size_t before = store.view().pages().unit_count();
  for (int i = 0; i < 1'000; ++i) {
    const std::size_t gone = random() % alive.size();
    store.release(alive[gone]);
    alive[gone] = append();
    const TextView view = store.view();
    const auto& pages = view.pages();
    ASSERT_LT(pages.unit_count(), 3 * before + 8) << i;
    ASSERT_LT(pages.pending_count(), 200u) << i;
  }
}

// The engine keeps the index with its texts: over saving, loading, removing and adding again.
TEST(GrepIndex, FollowsTheEngine) {
  std::mt19937 random(10);
  const TemporaryFile file;
  Engine first(2);
  const std::vector<float> vector{1, 0};
  const auto add = [&](Engine& engine, int i) {
    std::string text;
    while (text.size() < 20'000) text += random_text(random);
    const std::string document = "viking://d" + std::to_string(i);
    const std::string uri = document + "/c";
    const std::vector<std::string_view> uris{uri};
    const std::vector<std::string_view> texts{text};
    engine.add({.uris = uris, .vectors = vector, .texts = texts, .document = document});
  };
  const auto expect_whole = [&](const Engine& engine, std::uint64_t least) {
    for (const char* pattern :
         {"late fee", "(?i)penalty\\s+stop", "NA\u00CFVE|100%", "ДОГОВОР x"}) {
      for (const char* scope : {"viking://", "viking://d3"}) {
        GrepOptions options;
        options.index = IndexUse::kAlways;
        const auto with = engine.grep(pattern, scope, {}, options);
        options.index = IndexUse::kNever;
        const auto without = engine.grep(opaque(pattern), scope, {}, options);
        ASSERT_EQ(with.total, without.total) << pattern;
        ASSERT_GE(with.total, scope == std::string_view("viking://") ? least : 0);
      }
    }
  };
  for (int i = 0; i < 30; ++i) add(first, i);
  expect_whole(first, 1);
  first.save(file.path);
  const auto second = Engine::load(file.path);
  expect_whole(*second, 1);
  for (int i = 0; i < 30; i += 2) second->remove("viking://d" + std::to_string(i));
  expect_whole(*second, 1);
  for (int i = 40; i < 120; ++i) add(*second, i);
  for (int i = 50; i < 110; ++i) second->remove("viking://d" + std::to_string(i));
  expect_whole(*second, 1);
  second->save(file.path);
  expect_whole(*Engine::load(file.path), 1);
}

// --- Finder --------------------------------------------------------------------------------------

TEST(Finder, FindsWhatStandsThere) {
  std::mt19937 random(9);
  const std::vector<std::string> texts = {"late",  "fee", "penalty", "na\u00EFve", "section",
                                          "4.2",   "aab", "abab",    "100%",       "top",
                                          "elvin", "tte", "eel"};
  std::size_t found_some = 0;
  for (int round = 0; round < 4'000; ++round) {
    Clause clause;
    for (unsigned n = 1 + random() % 12; n > 0; --n)
      clause.push_back(texts[random() % texts.size()]);
    const Finder finder(clause, false);
    ASSERT_TRUE(finder.is_usable());
    std::string text = random_text(random).substr(0, random() % 200);
    if (random() % 2) text += text;
    const std::size_t from = random() % (text.size() + 1);
    const std::size_t to = from + random() % (text.size() + 1 - from);
    const std::size_t found = finder.find(text, from, to);
    ASSERT_EQ(found, finder.find_plain(text, from, to));
    // By the book: the first text, on folded letters.
    std::string lower = text.substr(from, to - from);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    std::size_t first = std::string::npos;
    std::size_t first_end = 0;
    bool stands_there = false;
    for (const std::string& part : clause) {
      const std::size_t at = lower.find(part);
      if (at != std::string::npos && at < first) {
        first = at;
        first_end = at + part.size();
      }
      stands_there |=
          found != Finder::kNowhere && lower.compare(found - from, part.size(), part) == 0;
    }
    ASSERT_EQ(found == Finder::kNowhere, first == std::string::npos);
    if (found == Finder::kNowhere) continue;
    ASSERT_TRUE(stands_there);
    ASSERT_LT(found, from + first_end);
    ++found_some;
  }
  EXPECT_GT(found_some, 500u);
}

TEST(Finder, LeavesOutLettersOfManyForms) {
  EXPECT_TRUE(Finder({"late fees"}, true).is_usable());
  EXPECT_EQ(Finder({"late fees"}, true).find("LATE FEE\u017F", 0, 10), 0u);
  EXPECT_FALSE(Finder({"ask"}, true).is_usable());
  EXPECT_FALSE(Finder({"late", "risk"}, true).is_usable());
  EXPECT_FALSE(Finder().is_usable());
}

// --- What is read from a pattern -----------------------------------------------------------------

TEST(PatternFacts, NothingIsToldOfAnOpaquePattern) {
  const PatternFacts facts = pattern_facts(opaque("needle"), false, false);
  EXPECT_TRUE(facts.clauses.empty() && facts.ascii.all());
  EXPECT_EQ(facts.longest_bytes, kUnbounded);
}

TEST(PatternFacts, ClausesAreWhatEveryMatchHolds) {
  using Clauses = std::vector<Clause>;
  const auto clauses = [](std::string_view pattern, bool ignore_case = false) {
    return pattern_facts(pattern, false, ignore_case).clauses;
  };
  EXPECT_EQ(clauses("Needle"), (Clauses{{"needle"}}));
  EXPECT_EQ(clauses("late fee|penalty"), (Clauses{{"late fee", "penalty"}}));
  EXPECT_EQ(clauses("colou?r"), (Clauses{{"color", "colour"}}));
  EXPECT_EQ(clauses("termination\\b.{0,40}\\bnotice"), (Clauses{{"termination"}, {"notice"}}));
  EXPECT_EQ(clauses("ab+cd"), (Clauses{{"bcd"}}));
  EXPECT_EQ(clauses("(?:abc)+d"), (Clauses{{"abc"}, {"abcd"}}));
  EXPECT_EQ(clauses("[Pp]en(?:ny|ce)"), (Clauses{{"pence", "penny"}}));
  EXPECT_EQ(clauses("(foo.*bar)+"), (Clauses{{"foo"}, {"bar"}}));
  EXPECT_EQ(clauses("(?:foo.*|ba)r"), Clauses{});
  EXPECT_EQ(clauses("x(?i)YZ\\x41"), (Clauses{{"xyza"}}));
  EXPECT_EQ(clauses("a{3}"), (Clauses{{"aaa"}}));
  EXPECT_EQ(clauses("a{2,}b"), Clauses{});
  EXPECT_EQ(clauses("\\Qa.b*\\Ec"), (Clauses{{"a.b*c"}}));
  EXPECT_EQ(clauses("na\xC3\xAFve"), (Clauses{{"na\xC3\xAFve"}}));
  EXPECT_EQ(clauses("\xC5\xBFtop"), (Clauses{{"stop"}}));
  EXPECT_EQ(
      clauses("\xD0\xB6\xD1\x83", true),
      (Clauses{{"\xD0\x96\xD0\xA3", "\xD0\x96\xD1\x83", "\xD0\xB6\xD0\xA3", "\xD0\xB6\xD1\x83"}}));
  EXPECT_EQ(clauses("\\w+"), Clauses{});
  EXPECT_EQ(clauses("a|bcd"), Clauses{});
  EXPECT_EQ(clauses("\\Cabc"), Clauses{});
}

// The forms of letters are those that the matcher knows, or more.
TEST(PatternFacts, FormsOfLettersAreTheMatchersOwn) {
  std::string all;
  for (char32_t c = 1; c < 0x20000; ++c) {
    if (c < 0xD800 || c > 0xDFFF) append_utf8(all, c);
  }
  std::vector<char32_t> letters{'s', 'k', 'a', 'z'};
  for (const auto& [low, high] : std::vector<std::pair<char32_t, char32_t>>{
           {0xB5, 0x17F}, {0x370, 0x3FF}, {0x400, 0x4BF}, {0x4E00, 0x4E02}}) {
    for (char32_t c = low; c <= high; ++c) {
      if (case_forms(c)) letters.push_back(c);
    }
  }
  ASSERT_GT(letters.size(), 400u);
  TextStore store;
  store.append(all, std::vector<Slice>{{0, 0, static_cast<std::uint32_t>(all.size())}});
  const TextView view = store.view();
  GrepOptions options;
  options.ignore_case = true;
  options.literal = true;
  for (const char32_t letter : letters) {
    std::string pattern;
    append_utf8(pattern, letter);
    std::vector<std::string> known;
    if (letter < 0x80) {
      known.push_back(pattern);
    } else {
      const std::vector<char32_t> forms = *case_forms(letter);
      for (const char32_t form : forms) {
        known.emplace_back();
        append_utf8(known.back(), form);
      }
    }
    for (const GrepMatch& match : grep(view, RowSet::range(0, 1), pattern, options).matches) {
      const std::string found = all.substr(match.begin_byte, match.end_byte - match.begin_byte);
      const std::string seen = letter < 0x80 ? folded(found) : found;
      EXPECT_TRUE(std::ranges::find(known, seen) != known.end()) << pattern << " is " << found;
    }
  }
}

TEST(PatternFacts, BoundTheMatch) {
  EXPECT_EQ(pattern_facts("abc", false, false).longest_bytes, 3u);
  EXPECT_EQ(pattern_facts("a.{2,5}", false, false).longest_bytes, 21u);
  EXPECT_EQ(pattern_facts("a+", false, false).longest_bytes, kUnbounded);
  EXPECT_EQ(pattern_facts("a|bb|", false, false).longest_bytes, 2u);
  const AsciiSet ascii = pattern_facts("late\\s+fee", false, false).ascii;
  EXPECT_TRUE(ascii['l'] && ascii['\n'] && ascii[' ']);
  EXPECT_FALSE(ascii['x'] || ascii['L']);
  EXPECT_FALSE(pattern_facts("a.*b", false, false).ascii['\n']);
  EXPECT_TRUE(pattern_facts("(?s)a.*b", false, false).ascii['\n']);
  EXPECT_TRUE(pattern_facts("[^x]", false, false).ascii['\n']);
  EXPECT_TRUE(pattern_facts("[^\\D]", false, false).ascii['7']);
}

}  // namespace
}  // namespace knarr
