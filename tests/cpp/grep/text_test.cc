// Blocks of text: slices, lines, line ends; the store and its views.
#include "grep/text/text.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "base/error.h"
#include "base/utf8.h"
#include "error_code.h"

namespace knarr {
namespace {

std::uint32_t size_of(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

std::shared_ptr<const Block> block_of(std::string text, std::vector<Slice> slices = {}) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  if (slices.empty()) slices = {{0, 0, size_of(*owner)}};
  return std::make_shared<const Block>(*owner, owner, slices);
}

TEST(Block, FindsTheSliceOfAByte) {
  const auto block = block_of("onetwothree", {{3, 0, 3}, {5, 3, 3}, {7, 3, 6}, {8, 6, 11}});
  EXPECT_EQ(block->slice_count(), 4u);
  EXPECT_EQ(block->slice_at(0), 0u);
  EXPECT_EQ(block->slice_at(2), 0u);
  EXPECT_EQ(block->slice_at(3), 2u);  // not the empty one
  EXPECT_EQ(block->slice_at(10), 3u);
  EXPECT_EQ(block->slice_at(11), 3u);
  EXPECT_EQ(block->slice_text(3), "three");
  EXPECT_EQ(block->slice(2), (Slice{7, 3, 6}));
}

TEST(Block, RefusesSlicesThatAreNotTheText) {
  const auto refused = [](std::string text, std::vector<Slice> slices) {
    EXPECT_EQ(code_of([&] { block_of(text, slices); }), ErrorCode::kInvalidArgument) << text;
  };
  refused("abc", {{0, 0, 2}});                  // ends early
  refused("abc", {{0, 1, 3}});                  // begins late
  refused("abc", {{0, 0, 1}, {1, 2, 3}});       // a gap
  refused("abc", {{0, 0, 2}, {1, 1, 3}});       // an overlap
  refused("abc", {{0, 0, 4}});                  // beyond the end
  refused("abc", {{1, 0, 1}, {1, 1, 3}});       // a row twice
  refused("abc", {{2, 0, 1}, {1, 1, 3}});       // rows that fall
  refused("abc", {{kNoRow, 0, 3}});             // no row
  refused("\xC3\xA9", {{0, 0, 1}, {1, 1, 2}});  // inside a character
  refused("\xC3", {{0, 0, 1}});                 // not UTF-8
}

// Texts of a file, which may be damaged; counts how often they were checked.
struct FakeFile : UncheckedTexts {
  void check(std::string_view) const override {
    ++checks;
    if (is_damaged) fail(ErrorCode::kCorruption, "damaged");
  }
  void refuse(std::string_view reason) const override {
    fail(ErrorCode::kCorruption, std::string(reason));
  }
  mutable std::atomic<int> checks = 0;
  bool is_damaged = false;
};

struct LateBlock {
  explicit LateBlock(std::string words, std::vector<Slice> slices, std::uint32_t match_size)
      : text(std::move(words)), file(std::make_shared<FakeFile>()) {
    for (const Slice& slice : slices) rows.push_back(slice.row);
    for (const Slice& slice : slices) ends.push_back(slice.end_byte);
    const SliceTable table{rows.data(), ends.data(), static_cast<std::uint32_t>(slices.size())};
    block = std::make_shared<const Block>(text, file, match_size, table);
  }
  std::string text;
  std::vector<Row> rows;
  std::vector<std::uint32_t> ends;
  std::shared_ptr<FakeFile> file;
  std::shared_ptr<const Block> block;
};

TEST(Block, OfAFileIsReadOnFirstUse) {
  const std::string text = "one\r\ntwo é\nthree";
  const std::vector<Slice> slices{{0, 0, 5}, {4, 5, 5}, {5, 5, 12}, {9, 12, size_of(text)}};
  const auto read = block_of(text, slices);
  const LateBlock late(text, slices, read->match_size());
  const Block& block = *late.block;
  EXPECT_EQ(block.size(), read->size());
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(block.slice(i), read->slice(i));
  for (std::uint32_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(block.slice_at(at), read->slice_at(at));
    EXPECT_EQ(block.slice_from(at), read->slice_from(at));
  }
  EXPECT_EQ(late.file->checks, 0);
  for (std::uint32_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(block.line_at(at), read->line_at(at));
    EXPECT_EQ(block.line_end(at), read->line_end(at));
  }
  EXPECT_EQ(block.match_text(), read->match_text());
  EXPECT_EQ(block.slice_text(2), read->slice_text(2));
  EXPECT_EQ(late.file->checks, 1);
}

TEST(Block, OfADamagedFileThrowsEachTime) {
  const LateBlock late("text", {{0, 0, 4}}, 4);
  late.file->is_damaged = true;
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(code_of([&] { late.block->text(); }), ErrorCode::kCorruption);
    EXPECT_EQ(code_of([&] { late.block->line_at(0); }), ErrorCode::kCorruption);
    EXPECT_EQ(late.block->slice(0), (Slice{0, 0, 4}));
  }
}

TEST(Block, OfAFileIsRefusedLikeAnyOther) {
  const auto late = [](std::string text, std::vector<Slice> slices, std::uint32_t match_size) {
    return code_of([&] { LateBlock(text, slices, match_size).block->text(); });
  };
  EXPECT_EQ(late("abc", {{0, 0, 2}}, 3), ErrorCode::kInvalidArgument);  // its slices, at once
  EXPECT_EQ(late("abc", {{2, 0, 1}, {1, 1, 3}}, 3), ErrorCode::kInvalidArgument);
  EXPECT_EQ(late("a\xFFz", {{0, 0, 3}}, 3), ErrorCode::kCorruption);
  EXPECT_EQ(late("\xC3\xA9", {{0, 0, 1}, {1, 1, 2}}, 2), ErrorCode::kCorruption);
  EXPECT_EQ(late("a\r\n", {{0, 0, 3}}, 3), ErrorCode::kCorruption);  // its match text has two
}

TEST(Block, OfAFileIsReadByManyThreads) {
  std::string text;
  while (text.size() < 100'000) text += "a line\r\n";
  const auto read = block_of(text);
  const LateBlock late(text, {{0, 0, size_of(text)}}, read->match_size());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(late.block->match_text(), read->match_text()); });
  }
  for (std::thread& thread : threads) thread.join();
}

// A text that cannot be read cannot be indexed: it stays a candidate, and other texts are not
// affected.
TEST(TextStore, GoesOnBesideATextThatCannotBeRead) {
  constexpr std::uint32_t page_bytes = 4;
  const LateBlock late(std::string(100, 'x'), {{0, 0, 100}}, 100);
  late.file->is_damaged = true;
  TextStore store(page_bytes);
  store.append(late.block);
  for (Row row = 1; row < 50; ++row) {
    store.append("words of it", std::vector<Slice>{{row, 0, 11}});
    const TextView view = store.view();
    EXPECT_EQ(view.text(row), "words of it");
    EXPECT_EQ(view.text_size(0), 100u);
    EXPECT_EQ(view.pages().unit_count(), 0u);
    EXPECT_EQ(view.pages().candidates({}, 0, row).size(), row + 1u);
  }
  store.release(0);
  store.append("more", std::vector<Slice>{{60, 0, 4}});
  EXPECT_GT(store.view().pages().unit_count(), 0u);
}

TEST(Utf8, TellsWellFormedFromNot) {
  for (const char* good : {"", "a", "12345678\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                           "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(first_invalid_utf8(good), std::string_view(good).size());
  }
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80",
                          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3",
                          "\xE2\x82", "\xF0\x9F\x98", "\xE2\x28\xA1"}) {
    EXPECT_EQ(first_invalid_utf8(bad), 0u);
    EXPECT_EQ(first_invalid_utf8("12345678 " + std::string(bad) + "x"), 9u);
  }
}

// The lines of a text, by walking it.
struct WalkedLines {
  explicit WalkedLines(std::string_view text) {
    begins.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\r' && text.substr(i, 2) == "\r\n") continue;
      if (text[i] == '\n' || text[i] == '\r') begins.push_back(i + 1);
    }
    if (begins.back() == text.size() && begins.size() > 1) begins.pop_back();  // opens no line
  }
  std::size_t number(std::size_t byte) const {
    std::size_t n = 0;
    while (n < begins.size() && begins[n] <= byte) ++n;
    return n;
  }
  std::vector<std::size_t> begins;
};

TEST(Block, LinesAgreeWithAWalk) {
  std::mt19937 random(11);
  static const char* const pieces[] = {"a", "bc", "\n", "\r\n", "\r", "é", "\n"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    const unsigned kinds = round % 2 == 0 ? 3 : 7;
    const unsigned length = round % 30 == 0 ? 9000 : 12;  // some over two pieces of the index
    while (text.size() < length) text += pieces[random() % kinds];
    const auto block = block_of(text);
    const WalkedLines walked(text);
    for (std::uint32_t byte = 0; byte <= text.size(); byte += text.size() > 100 ? 37 : 1) {
      const std::size_t number = walked.number(byte);
      ASSERT_EQ(block->line_at(byte), number) << text << " at " << byte;
      ASSERT_EQ(block->line_begin(byte), walked.begins[number - 1]);
      const std::size_t end = text.find_first_of("\r\n", walked.begins[number - 1]);
      ASSERT_EQ(block->line_end(byte), std::min(end, text.size()));
    }
  }
}

TEST(Block, MatchTextHasOneKindOfLineEnd) {
  const auto block = block_of("a\r\nb\rc\n\r\r\n");
  EXPECT_EQ(block->match_text(), "a\nb\nc\n\n\n");
  EXPECT_EQ(block->to_text(1), 1u);  // the CR of the first CRLF
  EXPECT_EQ(block->to_text(2), 3u);  // b
  EXPECT_EQ(block->to_match(3), 2u);
  EXPECT_EQ(block->to_match(2), 1u);  // the LF of the CRLF
  EXPECT_EQ(block->to_text(8), 10u);
  EXPECT_EQ(block->to_match(10), 8u);
  const auto plain = block_of("a\nb");
  EXPECT_EQ(plain->match_text().data(), plain->text().data());  // no copy
}

TEST(TextStore, RowsFindTheirText) {
  TextStore store;
  const BlockId first = store.append("onetwo", std::vector<Slice>{{0, 0, 3}, {2, 3, 6}});
  const BlockId second = store.append("three", std::vector<Slice>{{1, 0, 5}});  // between the two
  store.append("", std::vector<Slice>{{9, 0, 0}});
  const TextView view = store.view();
  EXPECT_EQ(view.block_count(), 3u);
  EXPECT_EQ(view.text(0), "one");
  EXPECT_EQ(view.text(1), "three");
  EXPECT_EQ(view.text(2), "two");
  EXPECT_EQ(view.place(2).block, first);
  EXPECT_EQ(view.place(2).slice, 1u);
  EXPECT_EQ(view.place(1).block, second);
  EXPECT_EQ(view.place(5).block, kNoBlock);
  EXPECT_EQ(view.place(1000).block, kNoBlock);
  EXPECT_EQ(view.text(5), "");
  EXPECT_EQ(view.rows_end(), 10u);
}

TEST(TextStore, ARowHasOneText) {
  TextStore store;
  store.append("one", std::vector<Slice>{{4, 0, 3}});
  EXPECT_EQ(code_of([&] {
              store.append("two", std::vector<Slice>{{4, 0, 3}});
            }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] {
              store.append("two", std::vector<Slice>{{5, 0, 2}});
            }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(store.view().block_count(), 1u);  // the refused ones changed nothing
  EXPECT_EQ(store.view().rows_end(), 5u);
}

TEST(TextStore, AViewStaysAsItWas) {
  TextStore store;
  store.append("one", std::vector<Slice>{{0, 0, 3}});
  store.append("two", std::vector<Slice>{{2, 0, 3}});
  const TextView before = store.view();
  store.release(0);
  store.append("late", std::vector<Slice>{{1, 0, 4}});
  EXPECT_EQ(before.text(0), "one");
  EXPECT_EQ(before.text(1), "");
  EXPECT_EQ(before.block_count(), 2u);
  const TextView after = store.view();
  EXPECT_EQ(after.block(0), nullptr);
  EXPECT_EQ(after.text(0), "");
  EXPECT_EQ(after.place(0).block, kNoBlock);
  EXPECT_EQ(after.text(1), "late");
  EXPECT_EQ(after.text(2), "two");
}

TEST(TextStore, ReleaseFreesTheText) {
  TextStore store;
  store.append(std::string(1 << 20, 'x'), std::vector<Slice>{{0, 0, 1 << 20}});
  EXPECT_GT(store.size_bytes(), std::size_t{1} << 20);
  store.release(0);
  EXPECT_LT(store.size_bytes(), std::size_t{1} << 18);
  EXPECT_EQ(code_of([&] { store.release(7); }), ErrorCode::kNotFound);
}

// Many releases between two views: each view keeps what it saw.
TEST(TextStore, ReleasesAreSeenByLaterViewsOnly) {
  TextStore store;
  for (Row row = 0; row < 3000; ++row) store.append("text", std::vector<Slice>{{row, 0, 4}});
  const TextView all = store.view();
  for (BlockId id = 0; id < 3000; id += 2) store.release(id);
  const TextView odd = store.view();
  for (BlockId id = 1; id < 3000; id += 4) store.release(id);
  store.append("more", std::vector<Slice>{{3000, 0, 4}});
  const TextView last = store.view();
  for (Row row = 0; row < 3000; ++row) {
    EXPECT_EQ(all.text(row), "text");
    EXPECT_EQ(odd.text(row), row % 2 == 1 ? "text" : "");
    EXPECT_EQ(last.text(row), row % 4 == 3 ? "text" : "");
  }
  EXPECT_EQ(last.text(3000), "more");
  EXPECT_EQ(odd.rows_end(), 3000u);
}

TEST(TextStore, ADraftCanBeTakenBack) {
  TextStore store;
  store.append("one", std::vector<Slice>{{0, 0, 1}, {3, 1, 3}});
  const TextView before = store.view();
  const TextStore::Mark mark = store.mark();
  store.append("in the gap", std::vector<Slice>{{1, 0, 10}});
  store.append("after", std::vector<Slice>{{8, 0, 5}});
  store.rollback(mark);
  EXPECT_EQ(store.view().block_count(), 1u);
  EXPECT_EQ(store.view().rows_end(), 4u);
  EXPECT_EQ(store.view().place(1).block, kNoBlock);
  store.append("again", std::vector<Slice>{{1, 0, 5}});
  EXPECT_EQ(store.view().text(1), "again");
  EXPECT_EQ(before.text(3), "ne");
  EXPECT_EQ(before.text(1), "");
}

TEST(TextStore, ReadersWhileTheWriterAppends) {
  TextStore store;
  store.append("text of 0", std::vector<Slice>{{0, 0, 9}});
  for (int round = 0; round < 8; ++round) {
    const TextView view = store.view();
    std::thread reader([&view] {
      for (Row row = 0; row < view.rows_end(); ++row) {
        ASSERT_EQ(view.text(row), "text of " + std::to_string(row));
      }
    });
    for (int i = 0; i < 1500; ++i) {
      const auto row = static_cast<Row>(store.mark().places);
      const std::string text = "text of " + std::to_string(row);
      store.append(text, std::vector<Slice>{{row, 0, size_of(text)}});
    }
    reader.join();
  }
}

}  // namespace
}  // namespace knarr
