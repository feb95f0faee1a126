// Helpers for tests of the engine: objects to add, and short forms of answers.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "error_code.h"

namespace knarr {

inline constexpr std::size_t kDim = 16;

// Owns the data that an Objects views.
struct Batch {
  std::vector<std::string> uris, texts, previews;
  std::vector<float> vectors;
  std::vector<Kind> kinds;
  std::vector<std::string_view> uri_views, text_views, preview_views;

  void add(std::string uri, std::vector<float> vector, std::string text = "",
           Kind kind = Kind::kChunk) {
    uris.push_back(std::move(uri));
    texts.push_back(std::move(text));
    kinds.push_back(kind);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  Objects objects() {
    uri_views.assign(uris.begin(), uris.end());
    text_views.assign(texts.begin(), texts.end());
    return {uri_views, vectors, text_views, kinds, {}, {}, false};
  }
  Objects objects(std::string_view document, bool replace = false) {
    Objects out = objects();
    out.document = document;
    out.replace = replace;
    return out;
  }
};

class Vectors {
 public:
  explicit Vectors(unsigned seed) : random_(seed) {}
  std::vector<float> next() {
    std::vector<float> out(kDim);
    for (float& x : out) x = normal_(random_);
    return out;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<float> normal_;
};

inline std::vector<std::string> uris_of(const Hits& hits) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < hits.size(); ++i) out.push_back(hits.uri(i));
  return out;
}

inline std::vector<std::string> names_of(const ListPage& page) {
  std::vector<std::string> out;
  for (const ListEntry& entry : page.entries) out.push_back(entry.name);
  return out;
}

inline std::string all_text(const Engine& engine, std::string_view uri) {
  return engine.read(uri, 0, std::nullopt).text;
}

}  // namespace knarr
