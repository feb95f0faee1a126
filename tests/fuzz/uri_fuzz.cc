// URIs of any bytes: each is refused as an invalid argument, or has one path and one spelling.
//
// Input: URIs, separated by zero bytes. Those that parse become objects of a Trie, beside a map.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "uri/append.h"
#include "uri/trie.h"
#include "uri/uri.h"

namespace {

using knarr::NodeId;
using knarr::Path;

void require(bool condition) {
  if (!condition) std::abort();
}

// The path, or none where the URI is refused with a message that can be shown.
std::optional<Path> parsed(std::string_view uri) {
  try {
    return knarr::parse_uri(uri);
  } catch (const knarr::Error& error) {
    const std::string_view what = error.what();
    require(error.code() == knarr::ErrorCode::kInvalidArgument && knarr::is_utf8(what));
    for (const char c : what) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    require(what.size() < 4'000);
    return std::nullopt;
  }
}

void check_spelling(const Path& path) {
  for (const std::string& component : path) require(knarr::component_fault(component).empty());
  for (const bool is_directory : {false, true}) {
    const std::string uri = knarr::format_uri(path, is_directory);
    require(knarr::is_utf8(uri));
    // Encoding may triple a URI, beyond the size that is accepted.
    if (uri.size() <= knarr::kMaxUriBytes) require(knarr::parse_uri(uri) == path);
  }
}

// Paths that are added while none of them lies below another, as objects.
struct Names {
  knarr::Trie trie;
  std::map<Path, NodeId> nodes;

  void add(const Path& path) {
    knarr::Trie draft = trie;
    try {
      knarr::TrieAppender appender(draft, static_cast<knarr::Row>(nodes.size()));
      const NodeId node = appender.add(path);
      appender.finish();
      require(!path.empty() && nodes.emplace(path, node).second);
      trie = draft;
    } catch (const knarr::Error& error) {
      require(error.code() == knarr::ErrorCode::kInvalidArgument ||
              error.code() == knarr::ErrorCode::kAlreadyExists);
    }
  }

  void check() const {
    for (const auto& [path, node] : nodes) {
      require(trie.find(path) == node && trie.path(node) == path);
      const std::string uri = trie.uri(node);
      require(uri == knarr::format_uri(path, false));
      for (const auto& [other_path, other] : nodes) {
        if (other == node) continue;
        require(trie.uri_before(node, other) == (uri < trie.uri(other)));
      }
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> uris;
  while (uris.size() < 24) {
    uris.push_back(rest.substr(0, rest.find('\0')));
    if (uris.back().size() == rest.size()) break;
    rest.remove_prefix(uris.back().size() + 1);
  }
  Names names;
  for (const std::string_view uri : uris) {
    const auto path = parsed(uri);
    if (!path) continue;
    check_spelling(*path);
    names.add(*path);
  }
  names.check();
  const std::vector<NodeId> together = names.trie.find_plain_each(uris);
  for (std::size_t i = 0; i < uris.size(); ++i) {
    const NodeId plain = names.trie.find_plain(uris[i]);
    require(together[i] == plain);
    if (plain == knarr::kNoNode) continue;
    const auto path = parsed(uris[i]);
    require(path && names.trie.find(*path) == plain);
  }
  return 0;
}
