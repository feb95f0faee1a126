// What a step costs in instructions: for bench/guard.py, which runs this under callgrind.
//
// Each step runs once to warm up and then once inside guard_step(), whose instructions alone are
// counted; its name is printed, and callgrind writes one file after each. Nothing here depends on
// the clock or on the number of threads, and plans are named, so that counts repeat.
#include <cstdio>
#include <functional>
#include <string>

#include "base/cpu.h"
#include "engine/engine.h"
#include "harness.h"
#include "uri/trie.h"

extern "C" __attribute__((noinline)) void guard_step(const std::function<void()>& call) {
  call();
  asm volatile("" : : : "memory");  // keeps the call from becoming a jump out of here
}

namespace knarr::bench {
namespace {

#if defined(__x86_64__)
constexpr const char* kMachine = "x86-64";
#else
constexpr const char* kMachine = "another machine";
#endif

constexpr std::size_t kDim = 384;
constexpr std::size_t kDocuments = 10;
constexpr std::size_t kSections = 20;
constexpr std::size_t kChunks = 50;  // of a section
constexpr std::size_t kRows = kDocuments * kSections * kChunks;
constexpr const char* kSection = "viking://guard/document_4/section_7";
constexpr const char* kDocument = "viking://guard/document_4";

// Objects that own what Engine::add views.
struct Batch {
  std::vector<std::string> uris, texts;
  std::vector<std::string_view> uri_views, text_views;
  std::vector<float> vectors;
  std::string document;

  Objects objects() {
    uri_views.assign(uris.begin(), uris.end());
    text_views.assign(texts.begin(), texts.end());
    return {uri_views, vectors, text_views, {}, {}, document};
  }
};

std::string text_of(Random& random, bool rare) {
  static const char* const kWords[] = {"notice", "payment", "interest", "party",
                                       "report", "section", "the",      "of"};
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += kWords[random() % 8];
    text += i % 10 == 9 ? ".\n" : " ";
  }
  if (rare) text += "The Penalty is 5 percent.\n";
  return text;
}

// A document's vectors scatter around one centre, as those of real documents do.
Batch document(std::size_t number, std::size_t sections, const std::string& name) {
  Batch batch;
  Random random(static_cast<unsigned>(number + 1));
  batch.document = "viking://guard/" + name;
  const auto seed = static_cast<std::uint32_t>(number + 1);
  const auto centre = random_vectors(1, kDim, 1000 + seed);
  batch.vectors = random_vectors(sections * kChunks, kDim, seed);
  for (std::size_t i = 0; i < batch.vectors.size(); ++i) batch.vectors[i] += centre[i % kDim];
  for (std::size_t i = 0; i < sections * kChunks; ++i) {
    const std::string section = "section_" + std::to_string(i / kChunks);
    batch.uris.push_back(batch.document + "/" + section + "/" + std::to_string(i) + ".md");
    batch.texts.push_back(text_of(random, i % 997 == 1));
  }
  return batch;
}

void step(const char* name, const std::function<void()>& call) {
  call();
  guard_step(call);
  std::printf("%s\n", name);
}

void learn(Engine& engine, std::span<const std::string> uris) {
  Random random(5);
  for (std::uint32_t i = 0; i < 500; ++i) {
    const std::string question = "question " + std::to_string(i);
    const std::vector<std::string_view> from(4, uris[random() % 100]);
    std::vector<std::string_view> to;
    for (int edge = 0; edge < 4; ++edge) to.push_back(uris[random() % uris.size()]);
    engine.add_edges({from, to, question, random_vectors(1, kDim, i), question, ""});
  }
}

void searches(const Engine& engine, const std::vector<float>& query) {
  const auto search = [&](std::string_view scope, std::int64_t k, PlanWish plan) {
    keep(engine.search(query, {.scope = scope, .k = k, .how = {plan, 0.99}}).size());
  };
  step("search a section of 50", [&] { search(kSection, 10, PlanWish::kExact); });
  step("search a document of 1,000", [&] { search(kDocument, 10, PlanWish::kExact); });
  step("search 10,000 rows, exact", [&] { search(kScheme, 10, PlanWish::kExact); });
  step("search 10,000 rows, scan of codes", [&] { search(kScheme, 10, PlanWish::kScan); });
  step("the best 1,000 of 10,000", [&] { search(kScheme, 1000, PlanWish::kExact); });

  std::vector<std::uint8_t> mask(kRows);
  Random random(3);
  for (auto& allowed : mask) allowed = random() % 10 == 0;
  Filter rights;
  rights.rows = RowSet::from_mask(mask);
  step("search a random tenth of 10,000, exact", [&] {
    keep(engine.search(query, {.filter = rights, .how = {PlanWish::kExact, 0.99}}).size());
  });
  const auto queries = random_vectors(8, kDim, 77);
  step("8 queries in a document", [&] {
    keep(
        engine.search_batch(queries, {.scope = kDocument, .how = {PlanWish::kExact, 0.99}}).size());
  });
}

void greps(const Engine& engine) {
  const auto grep = [&](std::string_view pattern, std::string_view scope) {
    GrepOptions how;
    how.timeout_ms = 600'000;
    keep(engine.grep(pattern, scope, {}, how).total);
  };
  step("grep a rare literal", [&] { grep("Penalty", kScheme); });
  step("grep a common literal in a document", [&] { grep("notice", kDocument); });
  step("grep without a literal in a document", [&] { grep(R"([a-e]{3}[0-9])", kDocument); });
}

void sets(const Engine& engine, std::span<const std::string> uris) {
  step("find 100 objects by URI", [&] {
    for (std::size_t i = 0; i < 100; ++i) keep(engine.exists(uris[i * 7]));
  });
  std::vector<std::uint8_t> mask(1'000'000);
  Random random(3);
  for (auto& allowed : mask) allowed = random() % 2 == 0;
  const RowSet rights = RowSet::from_mask(mask);
  const RowSet scope = RowSet::range(300'000, 400'000);
  step("a scope of 100,000 rows ∧ random rights of a half", [&] {
    std::uint64_t sum = 0;
    (scope & rights).for_each_range([&](Row begin, Row end) { sum += end - begin; });
    keep(sum);
  });
}

// These change the engine: they come last, and undo what they do.
void changes(Engine& engine) {
  Batch added = document(99, 2, "added");
  const Objects objects = added.objects();
  step("add and remove a document of 100", [&] {
    engine.add(objects);
    engine.remove(added.document);
  });
  step("move a document of 1,000 there and back", [&] {
    engine.move(kDocument, "viking://elsewhere");
    engine.move("viking://elsewhere", kDocument);
  });
}

}  // namespace

void run_guard() {
  Engine engine(kDim);
  std::vector<std::string> uris;
  for (std::size_t number = 0; number < kDocuments; ++number) {
    Batch batch = document(number, kSections, "document_" + std::to_string(number));
    engine.add(batch.objects());
    uris.insert(uris.end(), batch.uris.begin(), batch.uris.end());
  }
  learn(engine, uris);
  const std::vector<float> query = document(4, 1, "query").vectors;
  const std::vector<float> one(query.begin() + 5 * kDim, query.begin() + 6 * kDim);

  std::printf("# %s, compiler %s, %s\n", cpu_level_name(cpu_level()), __VERSION__, kMachine);
  sets(engine, uris);
  searches(engine, one);
  greps(engine);
  const std::vector<std::string_view> seeds(uris.begin(), uris.begin() + 10);
  step("expand 10 seeds", [&] { keep(engine.expand(seeds, one, {.gamma = 0.0f}).size()); });
  changes(engine);
}

}  // namespace knarr::bench
