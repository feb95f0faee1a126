// Codes and quantised rows in snapshots: mapped as they were, made again where rows are removed,
// refused when damaged.
#include "vectors/store_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "snapshot/snapshot.h"

namespace knarr {
namespace {

constexpr std::size_t kDim = 64;
constexpr std::size_t kRows = 3 * kChunkRows + 100;

// Rows in families of ten that lie close together.
std::vector<float> families(std::size_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  std::vector<float> out(n * kDim), head(kDim);
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (at / kDim % 10 == 0) head[at % kDim] = number(random);
    out[at] = head[at % kDim] + 0.2f * number(random);
  }
  return out;
}

class StoreCodec : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("knarr_codes_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kRows; ++i) {
      names.push_back("viking://d" + std::to_string(i / 100) + "/c" + std::to_string(i));
    }
    const std::vector<std::string_view> uris(names.begin(), names.end());
    engine_.add({uris, values_, {}, {}, {}, {}, false});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::string section(const std::string& file) const {
    return std::string(Snapshot::open(file)->section_text("engine.codes"));
  }

  // The file `good` with these codes, or without any; and without quantised rows, or with these.
  void write(const std::string& good, const std::string& to, const std::string* codes,
             const std::string* quantised_rows = nullptr) const {
    const auto snapshot = Snapshot::open(good);
    SnapshotWriter writer(to);
    for (const char* name :
         {"engine.nodes", "engine.names", "engine.rows", "engine.vectors", "text.bytes",
          "text.blocks", "edges.questions", "edges.episodes", "edges.links"}) {
      writer.add(name, snapshot->section_text(name));
    }
    if (codes != nullptr) writer.add("engine.codes", *codes);
    if (quantised_rows != nullptr) writer.add("engine.short", *quantised_rows);
    writer.finish();
  }

  std::vector<std::pair<std::string, float>> found(const Engine& engine) const {
    SearchOptions options;
    options.k = 5;
    options.how.plan = PlanWish::kScan;
    const Hits hits = engine.search(std::span(values_).first(kDim), options);
    EXPECT_EQ(hits.plan, "scan");
    std::vector<std::pair<std::string, float>> out;
    for (std::size_t i = 0; i < hits.size(); ++i) out.emplace_back(hits.uri(i), hits.rows[i].score);
    return out;
  }

  std::filesystem::path folder_;
  std::vector<float> values_ = families(kRows);
  Engine engine_{kDim};
};

TEST_F(StoreCodec, ComeBackAsTheyWere) {
  engine_.save(path("a"));
  const auto loaded = Engine::load(path("a"));
  EXPECT_EQ(found(*loaded), found(engine_));
  EXPECT_EQ(loaded->stats().codes_size_bytes, engine_.stats().codes_size_bytes);
  loaded->save(path("b"));
  EXPECT_EQ(section(path("a")), section(path("b")));
}

// The rows left after a removal are coded as a fresh engine would code them.
TEST_F(StoreCodec, AreMadeAgainWhereRowsWent) {
  engine_.remove("viking://d7");
  engine_.remove("viking://d8/c850");
  engine_.save(path("a"));
  const auto loaded = Engine::load(path("a"));
  write(path("a"), path("bare"), nullptr);
  const auto coded = Engine::load(path("bare"));
  EXPECT_EQ(found(*loaded), found(*coded));
  coded->save(path("b"));
  EXPECT_EQ(section(path("a")), section(path("b")));
  const std::size_t chunk = ChunkShape(kDim).size_bytes;
  EXPECT_EQ(section(path("a")).size(), 64 + (kRows - 101) / kChunkRows * chunk);
}

TEST_F(StoreCodec, OfAnotherVersionAreMadeAgain) {
  engine_.save(path("a"));
  std::string codes = section(path("a"));
  codes[0] = 99;
  std::fill(codes.begin() + 64, codes.end(), '\xff');
  write(path("a"), path("b"), &codes);
  EXPECT_EQ(found(*Engine::load(path("b"))), found(engine_));
}

TEST_F(StoreCodec, ThatDoNotFitAreRefused) {
  engine_.save(path("a"));
  const std::string good = section(path("a"));
  const std::size_t chunk = ChunkShape(kDim).size_bytes;
  std::vector<std::string> bad;
  bad.push_back("");
  bad.push_back(good.substr(0, 20));
  bad.push_back(good.substr(0, good.size() - 1));
  bad.push_back(good + std::string(64, '\0'));
  bad.push_back(good + good.substr(64, chunk));  // more than it says
  std::string more = good + good.substr(64, chunk);
  more[8] = 4;  // more chunks than rows
  bad.push_back(more);
  std::string huge = good;
  huge[13] = 1;  // 2^40 chunks
  bad.push_back(huge);
  std::string other = good;
  other[4] = 65;  // another dimension
  bad.push_back(other);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t at : {ChunkShape(kDim).terms_at, ChunkShape(kDim).centre_at}) {
    std::string damaged = good;
    std::memcpy(damaged.data() + 64 + chunk + at, &nan, sizeof(nan));
    bad.push_back(damaged);
  }
  for (std::size_t i = 0; i < bad.size(); ++i) {
    write(path("a"), path("b"), &bad[i]);
    try {
      Engine::load(path("b"));
      ADD_FAILURE() << i << " loaded";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorruption) << error.what();
      EXPECT_NE(std::string(error.what()).find("engine.codes"), std::string::npos) << error.what();
    }
  }
}

// Flips that checksums would find: whatever the codes say, a search is answered or the file
// refused.
TEST_F(StoreCodec, AnyContentIsAnsweredOrRefused) {
  engine_.save(path("a"));
  const std::string good = section(path("a"));
  for (std::size_t at = 0; at < good.size(); at += at < 64 ? 1 : 131) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 0xff);
    write(path("a"), path("b"), &flipped);
    try {
      const auto engine = Engine::load(path("b"));
      SearchOptions options;
      options.how.plan = PlanWish::kScan;
      EXPECT_EQ(engine->search(std::span(values_).first(kDim), options).size(), 10u);
      const std::vector<std::string_view> uri{"viking://new"};
      engine->add({uri, std::span(values_).first(kDim), {}, {}, {}, {}, false});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorruption) << error.what();
    }
  }
}

std::string quantised_section(const std::string& file) {
  return std::string(Snapshot::open(file)->section_text("engine.short"));
}

TEST_F(StoreCodec, QuantisedRowsComeBackAsTheyWere) {
  engine_.remove("viking://d3");
  engine_.save(path("a"));
  const std::string kept = quantised_section(path("a"));
  EXPECT_EQ(kept.size(), 64 + (kRows - 100) * QuantisedShape(kDim).size_bytes);
  Engine::load(path("a"))->save(path("b"));
  EXPECT_EQ(quantised_section(path("b")), kept);
  write(path("a"), path("bare"), nullptr);  // made again
  Engine::load(path("bare"))->save(path("c"));
  EXPECT_EQ(quantised_section(path("c")), kept);
}

TEST_F(StoreCodec, QuantisedRowsThatDoNotFitAreRefused) {
  engine_.save(path("a"));
  const std::string good = quantised_section(path("a"));
  const std::size_t row = QuantisedShape(kDim).size_bytes;
  std::vector<std::string> bad{"", good.substr(0, 15), good.substr(0, good.size() - 1),
                               good.substr(0, good.size() - row), good + std::string(row, '\0')};
  for (const std::size_t at : {std::size_t{4}, std::size_t{8}, std::size_t{13}}) {
    bad.push_back(good);
    bad.back()[at] = static_cast<char>(bad.back()[at] + 1);  // dimension, count, a huge count
  }
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::size_t at : {QuantisedShape(kDim).numbers, QuantisedShape(kDim).numbers + 4}) {
    bad.push_back(good);
    std::memcpy(bad.back().data() + 64 + 7 * row + at, &infinity, sizeof(infinity));
  }
  for (std::size_t i = 0; i < bad.size(); ++i) {
    write(path("a"), path("b"), nullptr, &bad[i]);
    try {
      Engine::load(path("b"));
      ADD_FAILURE() << i << " loaded";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorruption) << error.what();
      EXPECT_NE(std::string(error.what()).find("engine.short"), std::string::npos) << error.what();
    }
  }
  std::string other = good;
  other[0] = 99;  // of another version: made again
  write(path("a"), path("b"), nullptr, &other);
  EXPECT_EQ(Engine::load(path("b"))->size(), kRows);
}

}  // namespace
}  // namespace knarr
