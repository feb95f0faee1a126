// Looking up the trie by URIs, and the order of URIs.
#include <gtest/gtest.h>

#include "base/error.h"
#include "trie_reference.h"
#include "uri/append.h"
#include "uri/trie.h"
#include "uri/uri_order.h"

namespace knarr {
namespace {

TEST(Trie, PlainUrisAreFoundAsParsedOnes) {
  Trie trie;
  TrieAppender appender(trie, 0);
  Path deep;
  for (int i = 0; i < 40; ++i) deep.push_back("d" + std::to_string(i));
  for (const Path& path : {Path{"a", "b", "c"}, Path{"a", "x y"}, Path{"a", "50% off"}, Path{"é"},
                           Path{"a\\b"}, Path{"a", "b/c"}, deep}) {
    appender.add(path);
  }
  appender.finish();
  const auto parsed = [&](std::string_view uri) {
    try {
      return trie.find(parse_uri(uri));
    } catch (const Error&) {
      return kNoNode;
    }
  };
  const std::vector<std::string_view> uris{"viking://",
                                           "viking:///",
                                           "viking:////",
                                           "viking://a",
                                           "viking://a/",
                                           "viking://a//",
                                           "viking://a/b/c",
                                           "viking://a/b/c/",
                                           "viking://a//b",
                                           "viking:///a",
                                           "viking://a/b/d",
                                           "viking://a/x y",
                                           "viking://é",
                                           "viking://a\\b",
                                           "viking://a/.",
                                           "viking://a/..",
                                           "viking:/a",
                                           "a",
                                           "",
                                           "viking://b"};
  const std::vector<NodeId> together = trie.find_plain_each(uris);
  for (std::size_t i = 0; i < uris.size(); ++i) {
    EXPECT_EQ(trie.find_plain(uris[i]), parsed(uris[i])) << uris[i];
    EXPECT_EQ(together[i], parsed(uris[i])) << uris[i];
  }
  EXPECT_EQ(trie.find_plain("viking://a/50%25 off"), kNoNode);  // for parse_uri to tell
  EXPECT_EQ(trie.find_plain("viking://" + std::string(kMaxUriBytes, 'a')), kNoNode);
  for (const NodeId id : trie.subtree(Trie::kRoot)) {
    EXPECT_EQ(trie.uri(id), format_uri(trie.path(id), !trie.node(id).is_object));
    if (id == Trie::kRoot) continue;
    EXPECT_EQ(trie.uri_below(trie.uri(trie.node(id).parent), id), trie.uri(id));
  }
}

TEST(Trie, OrderOfUrisIsThatOfTheirStrings) {
  Names names(3);
  Trie trie;
  for (Row row = 0; row < 1000; ++row) {
    Trie draft = trie;
    try {
      add_one(draft, names.path(1), row);
      trie = draft;
    } catch (const Error&) {
    }
  }
  std::vector<NodeId> objects;
  for (const NodeId id : trie.subtree(Trie::kRoot)) {
    if (trie.node(id).is_object) objects.push_back(id);
  }
  ASSERT_GT(objects.size(), 50u);
  for (const NodeId a : objects) {
    for (const NodeId b : objects) {
      if (a != b) {
        EXPECT_EQ(trie.uri_before(a, b), trie.uri(a) < trie.uri(b)) << trie.uri(a) << trie.uri(b);
      }
    }
  }
  const std::vector<NodeId> all = trie.subtree(Trie::kRoot);  // the ancestors of others, too
  const UriOrder before(trie, trie.get_each(all));
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = 0; b < all.size(); ++b) {
      EXPECT_EQ(before(a, b), trie.uri(all[a]) < trie.uri(all[b])) << all[a] << " " << all[b];
    }
  }
  EXPECT_EQ(trie.get_each(std::vector<NodeId>{all[1], kNoNode}),
            (std::vector<const TrieNode*>{trie.get(all[1]), nullptr}));
}

}  // namespace
}  // namespace knarr
