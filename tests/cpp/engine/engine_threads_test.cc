// The engine under many threads.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "engine/engine.h"
#include "engine_batch.h"

namespace knarr {
namespace {

// Readers see whole documents only: each version of a document repeats its number in every chunk.
TEST(EngineThreads, ReadersSeeWholeDocuments) {
  constexpr int kDocuments = 3, kChunks = 8, kRounds = 60;
  Engine engine(kDim);
  Vectors vectors(7);
  const auto query = vectors.next();
  const auto publish = [&](int document, int version) {
    Batch batch;
    const std::string base = "viking://k/d" + std::to_string(document);
    for (int i = 0; i < kChunks; ++i) {
      batch.add(base + "/s" + std::to_string(i % 2) + "/c" + std::to_string(i), vectors.next(),
                "version " + std::to_string(version) + "\n");
    }
    engine.add(batch.objects(base, true));
  };
  for (int i = 0; i < kDocuments; ++i) publish(i, 0);

  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int r = 0; r < 3; ++r) {
    readers.emplace_back([&, r] {
      while (!done) {
        if (r == 0) {
          const auto entries = engine.list("viking://k", 0, 10).entries;
          for (const auto& entry : entries) EXPECT_EQ(entry.rows, kChunks);
        } else if (r == 1) {
          const Hits hits = engine.search(query, {.k = 1000});
          EXPECT_EQ(hits.size() % kChunks, 0u);
          std::map<std::string, std::string> shown;
          for (std::size_t i = 0; i < hits.size(); ++i) {
            const auto [at, fresh] = shown.emplace(hits.document(i), hits.preview(i));
            EXPECT_EQ(at->second, hits.preview(i)) << at->first;
          }
        } else {
          EXPECT_EQ(engine.grep("version", "viking://", {}, {.limit = 5}).total % kChunks, 0u);
          const std::string text = all_text(engine, "viking://k");
          EXPECT_EQ(std::ranges::count(text, '\n') % kChunks, 0);
        }
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) {
    const int document = round % kDocuments;
    const std::string uri = "viking://k/d" + std::to_string(document);
    if (round % 7 == 0) {
      engine.remove(uri);
      publish(document, round);
    } else if (round % 5 == 0) {
      engine.move(uri, "viking://k/moved");
      engine.move("viking://k/moved", uri);
    } else {
      publish(document, round);
    }
  }
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(engine.size(), static_cast<std::uint64_t>(kDocuments * kChunks));
}

TEST(EngineThreads, WritersFollowEachOther) {
  Engine engine(kDim);
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      Vectors vectors(100u + static_cast<unsigned>(w));
      for (int i = 0; i < 50; ++i) {
        Batch batch;
        for (int j = 0; j < 3; ++j) {
          batch.add(
              "viking://w" + std::to_string(w) + "/" + std::to_string(i) + "/" + std::to_string(j),
              vectors.next(), "text");
        }
        const RowRange rows = engine.add(batch.objects());
        EXPECT_EQ(rows.end - rows.begin, 3u);
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(engine.size(), 600u);
  EXPECT_EQ(engine.count("viking://w2", {}), 150u);
}

}  // namespace
}  // namespace knarr
