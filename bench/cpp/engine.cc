// What does the engine's own part of adding objects cost: a document of a thousand chunks, with
// vectors and texts, in one call?
#include "engine/engine.h"

#include <string>

#include "harness.h"

namespace knarr::bench {
namespace {

constexpr std::size_t kRows = 1000;
constexpr std::size_t kSectionRows = 50;
constexpr std::size_t kDim = 384;
constexpr std::string_view kText =
    "The fee is due on the first day of a month unless the branch has agreed to another one, and "
    "it "
    "is taken from the account that was named when the loan was made; see the list of fees there. "
    "\n";

// A document's URIs; each call of `fill` names another document.
struct Document {
  std::string uri;
  std::vector<std::string> names;
  std::vector<std::string_view> uris;

  void fill(std::size_t number) {
    uri = "viking://library/folder_" + std::to_string(number % 10) + "/document_" +
          std::to_string(number);
    names.clear();
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::string section = "section_" + std::to_string(i / kSectionRows);
      names.push_back(uri + "/" + section + "/" + section + "_" + std::to_string(i) + ".md");
    }
    uris.assign(names.begin(), names.end());
  }
};

}  // namespace

void bench_engine(const Options& options) {
  const std::vector<float> vectors = random_vectors(kRows, kDim, 1);
  const std::vector<std::string_view> texts(kRows, kText);
  Engine engine(kDim), bare(kDim), narrow(8);
  Document document;
  std::size_t number = 0;
  const auto add = [&](Engine& to, std::span<const std::string_view> bodies) {
    document.fill(number++);
    Objects objects;
    objects.uris = document.uris;
    objects.vectors = std::span(vectors).first(kRows * to.dim());
    objects.texts = bodies;
    objects.document = document.uri;
    keep(to.add(objects).end);
  };
  each("engine", {{"dim", std::to_string(kDim)}, {"text_bytes", std::to_string(kText.size())}},
       options,
       {{"add objects with texts", [&] { add(engine, texts); }, kRows},
        {"add objects", [&] { add(bare, {}); }, kRows},
        {"add objects of dimension 8", [&] { add(narrow, {}); }, kRows},
        {"name them", [&] { document.fill(number++); }, kRows}});
}

}  // namespace knarr::bench
