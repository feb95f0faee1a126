// A document in the engine: one text, read, listed, replaced, moved, with edges from and to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/utf8.h"
#include "engine/engine.h"
#include "engine_batch.h"

namespace knarr {
namespace {

class Document : public ::testing::Test {
 protected:
  void SetUp() override {
    Batch batch;
    batch.add("viking://k/doc/intro", vectors_.next(), "# Title\nsome wor");
    batch.add("viking://k/doc/.abstract.md", vectors_.next(), "About words.", Kind::kAbstract);
    batch.add("viking://k/doc/one/1", vectors_.next(), "ds here\n# One\nfirst ");
    batch.add("viking://k/doc/one/2", vectors_.next(), "second\n");
    batch.add("viking://k/doc/two/1", vectors_.next(), "# Two\nlast éé\n");
    engine_.add(batch.objects("viking://k/doc"));
  }
  Vectors vectors_{6};
  Engine engine_{kDim};
};

TEST_F(Document, TextIsTheChunksJoined) {
  EXPECT_EQ(all_text(engine_, "viking://k/doc"),
            "# Title\nsome words here\n# One\nfirst second\n# Two\nlast éé\n");
  const TextSpan one = engine_.read("viking://k/doc/one/", 0, std::nullopt);
  EXPECT_EQ(one.text, "ds here\n# One\nfirst second\n");
  EXPECT_EQ(one.base_byte, 16u);
  EXPECT_EQ(one.line_begin, 2u);
  EXPECT_EQ(one.line_end, 4u);
  EXPECT_EQ(one.document, "viking://k/doc/");
  EXPECT_EQ(one.uris, (std::vector<std::string>{"viking://k/doc/one/1", "viking://k/doc/one/2"}));
  const TextSpan abstract = engine_.read("viking://k/doc/.abstract.md", 0, std::nullopt);
  EXPECT_EQ(abstract.text, "About words.");
  EXPECT_EQ(abstract.base_byte, 0u);
}

TEST_F(Document, ReadsInPiecesAtCharacterBoundaries) {
  const std::string whole = all_text(engine_, "viking://k/doc");
  for (std::int64_t bytes = 1; bytes < 20; ++bytes) {
    std::string joined;
    std::optional<std::uint64_t> next = 0;
    while (next) {
      const TextSpan piece =
          engine_.read("viking://k/doc", static_cast<std::int64_t>(*next), bytes);
      EXPECT_TRUE(is_utf8(piece.text));
      EXPECT_EQ(piece.begin_byte, joined.size());
      EXPECT_LE(piece.text.size(), std::max<std::size_t>(static_cast<std::size_t>(bytes), 2));
      joined += piece.text;
      EXPECT_EQ(piece.end_byte, joined.size());
      EXPECT_EQ(piece.next_offset.has_value(), piece.end_byte < whole.size());
      next = piece.next_offset;
    }
    EXPECT_EQ(joined, whole);
  }
  const auto inside = static_cast<std::int64_t>(whole.find("é") + 1);
  EXPECT_EQ(engine_.read("viking://k/doc", inside, std::nullopt).text, "éé\n");
  const auto size = static_cast<std::int64_t>(whole.size());
  EXPECT_EQ(engine_.read("viking://k/doc", size, std::nullopt).text, "");
  const auto read = [&](std::int64_t at, std::int64_t bytes) {
    return code_of([&] { engine_.read("viking://k/doc", at, bytes); });
  };
  EXPECT_EQ(read(size + 1, 1), ErrorCode::kInvalidArgument);
  EXPECT_EQ(read(-1, 1), ErrorCode::kInvalidArgument);
  EXPECT_EQ(read(0, 0), ErrorCode::kInvalidArgument);
}

TEST_F(Document, GrepCrossesBordersAndKnowsItsPlace) {
  const GrepHits hits = engine_.grep("words", "viking://k", {kind_bit(Kind::kChunk), {}}, {});
  ASSERT_EQ(hits.matches.size(), 1u);
  EXPECT_EQ(hits.matches[0].uri, "viking://k/doc/intro");
  EXPECT_EQ(hits.matches[0].uris,
            (std::vector<std::string>{"viking://k/doc/intro", "viking://k/doc/one/1"}));
  EXPECT_EQ(hits.matches[0].line, 2u);
  EXPECT_EQ(hits.matches[0].document, "viking://k/doc/");
  // Half of the word lies outside this scope.
  EXPECT_EQ(engine_.grep("words", "viking://k/doc/one", {}, {}).total, 0u);
  EXPECT_EQ(engine_.grep("About", "viking://k", {kind_bit(Kind::kAbstract), {}}, {}).total, 1u);
}

TEST_F(Document, HitsKnowTheirPlace) {
  const Hits hits = engine_.search(vectors_.next(), {.scope = "viking://k/doc/one/2"});
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits.document(0), "viking://k/doc/");
  EXPECT_EQ(hits.extent(0).begin_byte, 36u);
  EXPECT_EQ(hits.extent(0).end_byte, 43u);
  EXPECT_EQ(hits.extent(0).line_begin, 4u);
  EXPECT_EQ(hits.preview(0), "second");
}

TEST_F(Document, ListsInOrderWithAbstracts) {
  const ListPage page = engine_.list("viking://k/doc", 0, 100);
  EXPECT_EQ(names_of(page), (std::vector<std::string>{"intro", ".abstract.md", "one", "two"}));
  EXPECT_EQ(page.entries[2].rows, 2u);
  EXPECT_FALSE(page.entries[2].kind.has_value());
  EXPECT_EQ(page.entries[1].kind, Kind::kAbstract);
  EXPECT_EQ(engine_.list("viking://k", 0, 100).entries[0].preview, "About words.");
  EXPECT_EQ(names_of(engine_.list("viking://k/doc", 1, 2)),
            (std::vector<std::string>{".abstract.md", "one"}));
  EXPECT_EQ(engine_.list("viking://k/doc", 9, 2).total, 4u);
  EXPECT_EQ(code_of([&] { engine_.list("viking://k/doc/intro", 0, 1); }),
            ErrorCode::kInvalidArgument);
}

TEST_F(Document, ReplaceIsOneStepAndKeepsEdges) {
  Batch other;
  other.add("viking://k/after", vectors_.next(), "after");
  engine_.add(other.objects());
  const auto question = vectors_.next();
  const std::vector<std::string_view> sources{"viking://k/after", "viking://k/after"};
  const std::vector<std::string_view> targets{"viking://k/doc/one/2", "viking://k/doc/two/1"};
  EXPECT_EQ(engine_.add_edges({sources, targets, "what?", question, "t", "s"}), 2u);
  const Hits before = engine_.search(question, {.k = 100});

  Batch batch;
  batch.add("viking://k/doc/one/2", vectors_.next(), "new second\n");
  batch.add("viking://k/doc/zero", vectors_.next(), "zero\n");
  batch.add("viking://k/doc/intro", vectors_.next(), "new intro\n");
  engine_.add(batch.objects("viking://k/doc", true));
  EXPECT_EQ(engine_.size(), 4u);
  EXPECT_EQ(names_of(engine_.list("viking://k", 0, 10)),
            (std::vector<std::string>{"doc", "after"}));
  EXPECT_EQ(names_of(engine_.list("viking://k/doc", 0, 10)),
            (std::vector<std::string>{"one", "zero", "intro"}));
  EXPECT_EQ(all_text(engine_, "viking://k/doc"), "new second\nzero\nnew intro\n");
  EXPECT_EQ(engine_.grep("first|words|About", "viking://", {}, {}).total, 0u);
  const auto expanded = engine_.search(question, {.k = 100, .expand = true}).expanded;
  ASSERT_EQ(expanded.size(), 1u);  // the edge to two/1 went with it
  EXPECT_EQ(expanded[0].uri(), "viking://k/doc/one/2");
  EXPECT_EQ(expanded[0].summary(), "s");
  EXPECT_NEAR(expanded[0].similarity(), 1, 1e-5);
  // Earlier results still describe the engine as it was.
  EXPECT_EQ(before.size(), 6u);
  EXPECT_EQ(uris_of(before).size(), 6u);
  EXPECT_EQ(engine_.stats().rows, 9u);
}

TEST_F(Document, ReplaceRefusedChangesNothing) {
  Batch batch;
  batch.add("viking://k/doc/new", vectors_.next(), "new");
  batch.add("viking://elsewhere", vectors_.next(), "new");
  EXPECT_EQ(code_of([&] { engine_.add(batch.objects("viking://k/doc", true)); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { engine_.add(batch.objects("viking://k/doc/intro", true)); }),
            ErrorCode::kInvalidArgument);
  Objects no_document = batch.objects();
  no_document.replace = true;
  EXPECT_EQ(code_of([&] { engine_.add(no_document); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(engine_.size(), 5u);
  EXPECT_EQ(engine_.grep("some words", "viking://", {}, {}).total, 1u);
}

TEST_F(Document, RemoveReachesEveryIndex) {
  const auto question = vectors_.next();
  const std::vector<std::string_view> source{"viking://k/doc/intro"},
      target{"viking://k/doc/one/1"};
  engine_.add_edges({source, target, "what?", question, "", ""});
  EXPECT_EQ(engine_.remove("viking://k/doc/one"), 2u);
  EXPECT_EQ(engine_.size(), 3u);
  EXPECT_FALSE(engine_.exists("viking://k/doc/one"));
  EXPECT_EQ(engine_.grep("first", "viking://", {}, {}).total, 0u);
  EXPECT_EQ(engine_.stats().edges, 0u);
  // The rest is no longer one piece of its document: bytes count in the joined text.
  const TextSpan rest = engine_.read("viking://k/doc", 0, std::nullopt);
  EXPECT_EQ(rest.text, "# Title\nsome wor# Two\nlast éé\n");
  EXPECT_EQ(rest.document, "");
  EXPECT_EQ(rest.line_end, 3u);
  EXPECT_EQ(engine_.remove("viking://k/doc"), 3u);
  EXPECT_FALSE(engine_.exists("viking://k")) << "directories that are left empty go";
  EXPECT_EQ(code_of([&] { engine_.remove("viking://k"); }), ErrorCode::kNotFound);
  EXPECT_EQ(engine_.stats().texts_size_bytes, 0u);
}

TEST(Engine, ReadPassesOverARemovedObjectWithoutText) {
  Vectors vectors(7);
  Engine engine(kDim);
  Batch batch;
  batch.add("viking://d/1", vectors.next(), "one ");
  batch.add("viking://d/empty", vectors.next(), "");
  batch.add("viking://d/s/nothing", vectors.next(), "");
  batch.add("viking://d/2", vectors.next(), "two");
  engine.add(batch.objects("viking://d"));
  engine.remove("viking://d/empty");
  engine.remove("viking://d/s");
  const TextSpan span = engine.read("viking://d", 0, std::nullopt);
  EXPECT_EQ(span.text, "one two");
  EXPECT_EQ(span.uris, (std::vector<std::string>{"viking://d/1", "viking://d/2"}));
}

TEST_F(Document, RemovingTheRootRemovesAll) {
  EXPECT_EQ(engine_.remove("viking://"), 5u);
  EXPECT_EQ(engine_.list("viking://", 0, 10).total, 0u);
  EXPECT_EQ(engine_.stats().directories, 1u);
}

TEST_F(Document, MoveTakesTextAndEdgesAlong) {
  const auto question = vectors_.next();
  const std::vector<std::string_view> source{"viking://k/doc/intro"},
      target{"viking://k/doc/one/1"};
  engine_.add_edges({source, target, "what?", question, "", ""});
  EXPECT_EQ(engine_.move("viking://k/doc", "viking://new/place/doc"), 5u);
  EXPECT_FALSE(engine_.exists("viking://k"));
  const GrepHits hits = engine_.grep("some words", "viking://new", {}, {});
  ASSERT_EQ(hits.total, 1u);
  EXPECT_EQ(hits.matches[0].document, "viking://new/place/doc/");
  EXPECT_EQ(engine_.search(question, {.expand = true}).expanded[0].uri(),
            "viking://new/place/doc/one/1");
  EXPECT_EQ(engine_.stats().rows, 5u);
  EXPECT_EQ(code_of([&] { engine_.move("viking://new", "viking://new/x"); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([&] { engine_.move("viking://new", "viking://new/place"); }),
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(code_of([&] { engine_.move("viking://old", "viking://x"); }), ErrorCode::kNotFound);
  // An object that left its document has none.
  engine_.move("viking://new/place/doc/two/1", "viking://alone");
  EXPECT_EQ(engine_.read("viking://alone", 0, std::nullopt).document, "");
}

TEST_F(Document, EdgesRespectFilterScopeAndGamma) {
  const auto question = vectors_.next();
  const std::vector<std::string_view> sources{"viking://k/doc/intro", "viking://k/doc/intro"};
  const std::vector<std::string_view> targets{"viking://k/doc/one/1", "viking://k/doc/two"};
  engine_.add_edges({sources, targets, "what?", question, "trace", "s"});
  const std::vector<std::string_view> seeds{"viking://k/doc/intro"};
  const auto uris = [&](const ExpandOptions& options, std::span<const float> query) {
    std::vector<std::string> out;
    const Expansion found = engine_.expand(seeds, query, options);
    for (std::size_t i = 0; i < found.size(); ++i) out.push_back(found[i].uri());
    return out;
  };
  EXPECT_EQ(uris({}, question),
            (std::vector<std::string>{"viking://k/doc/one/1", "viking://k/doc/two/"}));
  EXPECT_EQ(uris({.scope = "viking://k/doc/two"}, question),
            std::vector<std::string>{"viking://k/doc/two/"});
  RowSet rows = RowSet::range(2, 3);
  rows.add_range(0, 1);  // the seed
  EXPECT_EQ(uris({.filter = {kAllKinds, rows}}, question),
            std::vector<std::string>{"viking://k/doc/one/1"});
  EXPECT_TRUE(uris({.filter = {kind_bit(Kind::kAbstract), {}}}, question).empty());
  EXPECT_TRUE(uris({}, vectors_.next()).empty());
  EXPECT_EQ(engine_.remove_edges_of_node("viking://k/doc/two"), 1u);
  EXPECT_EQ(engine_.remove_edges_of_trace("trace"), 1u);
  EXPECT_TRUE(uris({}, question).empty());
}

TEST_F(Document, TheQuestionAskedIsComparedInPlaceOfTheQuery) {
  const auto question = vectors_.next(), query = vectors_.next(), other = vectors_.next();
  const std::vector<std::string_view> source{"viking://k/doc/intro"},
      target{"viking://k/doc/one/1"};
  engine_.add_edges({source, target, "what?", question, "trace", "s"});
  const auto expanded = [&](std::span<const float> asked) {
    return engine_.search(query, {.expand = true, .question = asked}).expanded;
  };
  ASSERT_EQ(expanded(question).size(), 1u);
  const Expanded found = expanded(question)[0];
  EXPECT_EQ(found.uri(), "viking://k/doc/one/1");
  EXPECT_EQ(found.kind(), Kind::kChunk);
  EXPECT_EQ(found.document(), "viking://k/doc/");
  EXPECT_FALSE(found.preview().empty());
  EXPECT_EQ(expanded(other).size(), 0u);
  EXPECT_EQ(expanded({}).size(), 0u);  // the query, which is unlike the edge's question
  // The hits are those of the query, whatever is asked.
  EXPECT_EQ(uris_of(engine_.search(query, {.expand = true, .question = question})),
            uris_of(engine_.search(query, {})));
  const std::vector<float> narrow(kDim - 1, 1.0f);
  EXPECT_EQ(code_of([&] { expanded(narrow); }), ErrorCode::kInvalidArgument);
}

TEST_F(Document, EdgesAreListed) {
  const auto question = vectors_.next();
  const std::vector<std::string_view> sources{"viking://k/doc/intro", "viking://k/doc/intro"};
  const std::vector<std::string_view> targets{"viking://k/doc/one/1", "viking://k/doc/two/1"};
  engine_.add_edges({sources, targets, "what?", question, "trace", "s", 99});
  const std::vector<KnownEdge> all = engine_.edges(0, 10);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].source, "viking://k/doc/intro");
  EXPECT_EQ(all[0].question, "what?");
  EXPECT_EQ(all[0].trace, "trace");
  EXPECT_EQ(all[0].summary, "s");
  EXPECT_EQ(all[0].expires_at_s, 99);
  ASSERT_EQ(engine_.edges(1, 1).size(), 1u);
  EXPECT_EQ(engine_.edges(1, 1)[0].target, all[1].target);
  EXPECT_TRUE(engine_.edges(2, 1).empty());
  EXPECT_EQ(code_of([&] { engine_.edges(-1, 1); }), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace knarr
