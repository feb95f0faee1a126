// What does the namespace cost: finding a scope, naming a hit, adding and moving a document?
//
// The library has ten folders; a document has ten sections of ten objects. Each edit works on a
// copy, as a writer's draft does.
#include "uri/trie.h"

#include <string>

#include "harness.h"
#include "uri/append.h"

namespace knarr::bench {
namespace {

constexpr std::size_t kPerSection = 10;
constexpr std::size_t kPerDocument = 100;

Path object_path(std::size_t row) {
  const std::size_t document = row / kPerDocument;
  const std::size_t section = row % kPerDocument / kPerSection;
  return {"folder_" + std::to_string(document % 10), "document_" + std::to_string(document),
          "section_" + std::to_string(section),
          "section_" + std::to_string(section) + "_" + std::to_string(row % kPerSection) + ".md"};
}

void add_document(Trie& trie, std::size_t document, Row first_row) {
  TrieAppender appender(trie, first_row);
  for (std::size_t i = 0; i < kPerDocument; ++i) {
    appender.add(object_path(document * kPerDocument + i));
  }
  appender.finish();
}

}  // namespace

void bench_trie(const Options& options) {
  const std::size_t documents =
      std::max<std::size_t>(options.rows / 1000, 1);  // a tenth of the rows
  const std::size_t rows = documents * kPerDocument;
  Trie trie;
  for (std::size_t d = 0; d < documents; ++d) {
    add_document(trie, d, static_cast<Row>(d * kPerDocument));
  }
  Random random(1);
  constexpr std::size_t kMany = 1000;
  std::vector<Path> objects, directories;
  std::vector<std::string> uris;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < kMany; ++i) {
    objects.push_back(object_path(random() % rows));
    directories.emplace_back(objects.back().begin(), objects.back().end() - 1);
    uris.push_back(format_uri(objects.back(), false));
    nodes.push_back(trie.find(objects.back()));
  }
  const Settings settings = {{"objects", number(rows)}, {"nodes", number(trie.size())}};
  each("trie", settings, options,
       {{"parse_uri",
         [&] {
           for (const auto& uri : uris) keep(parse_uri(uri).size());
         },
         kMany},
        {"find object",
         [&] {
           for (const auto& path : objects) keep(trie.find(path));
         },
         kMany},
        {"find section, take its rows",
         [&] {
           for (const auto& path : directories) keep(trie.node(trie.find(path)).rows.first());
         },
         kMany},
        {"uri of an object",
         [&] {
           for (NodeId node : nodes) keep(trie.uri(node).data());
         },
         kMany},
        {"uri_before",
         [&] {
           for (std::size_t i = 1; i < kMany; ++i) {
             if (nodes[i] != nodes[i - 1]) keep(trie.uri_before(nodes[i], nodes[i - 1]));
           }
         },
         kMany}});

  const Path first = {"folder_0", "document_0"};
  each("trie", settings, options,
       {{"copy", [&] { keep(Trie(trie).size()); }},
        {"add a document of 100",
         [&] {
           Trie draft = trie;
           add_document(draft, documents, static_cast<Row>(rows));
           keep(draft.size());
         },
         kPerDocument},
        {"remove a document of 100",
         [&] {
           Trie draft = trie;
           keep(draft.remove(draft.find(first)).size());
         },
         kPerDocument},
        {"move a document of 100",
         [&] {
           Trie draft = trie;
           keep(draft.move(draft.find(first), {"folder_5", "moved"}).size());
         }},
        {"list 100 documents", [&] { keep(trie.children(trie.find({"folder_0"}), 0, 100).size()); },
         100}});
}

}  // namespace knarr::bench
