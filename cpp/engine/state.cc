#include "engine/state.h"

#include <random>

#include "base/error.h"

namespace knarr {
namespace {

constexpr std::size_t kPreviewBytes = 160;

// The beginning of a text on one line, cut between words where that loses little.
std::string beginning_of(std::string_view text) {
  std::string out;
  std::size_t last_space = 0;
  for (const char c : text.substr(0, 4 * kPreviewBytes)) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      last_space = out.size();
      out += ' ';
    }
    if (out.size() > kPreviewBytes) break;
  }
  if (out.size() > kPreviewBytes) {
    std::size_t end = last_space > kPreviewBytes / 2 ? last_space : kPreviewBytes;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;
    return out.substr(0, end) + "…";
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Any number, so that rows of one engine, or of one before a load, are refused by another: small
// enough to be exact as a double, with room to grow.
std::uint64_t first_generation() { return std::uint64_t{std::random_device()() >> 1} << 20; }

}  // namespace

State::State(std::size_t dim) : edges(dim), generation(first_generation()) {}

void State::check_generation(const Filter& filter) const {
  if (!filter.generation || *filter.generation == generation) return;
  fail(ErrorCode::kInvalidArgument,
       "filter: its rows are of generation " + std::to_string(*filter.generation) +
           ", the engine's have generation " + std::to_string(generation) +
           " since compact() or load(): make it anew from the new numbers");
}

// A node that is not seen takes the way of a missing one, so that it takes as long.
NodeId State::find(std::string_view uri, const Filter& filter) const {
  check_generation(filter);
  const NodeId plain = trie.find_plain(uri);
  if (plain != kNoNode && is_seen(plain, filter)) return plain;
  const NodeId node = trie.find(parse_uri(uri));
  return node != kNoNode && is_seen(node, filter) ? node : kNoNode;
}

NodeId State::resolve(std::string_view uri, const Filter& filter) const {
  const NodeId node = find(uri, filter);
  if (node == kNoNode) fail(ErrorCode::kNotFound, "nothing has the URI " + quoted(uri));
  return node;
}

std::vector<NodeId> State::resolve_each(std::span<const std::string_view> uris,
                                        const Filter& filter) const {
  check_generation(filter);
  std::vector<NodeId> nodes = trie.find_plain_each(uris);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == kNoNode || !is_seen(nodes[i], filter)) nodes[i] = resolve(uris[i], filter);
  }
  return nodes;
}

RowSet State::allowed(NodeId scope, const Filter& filter) const {
  check_generation(filter);
  return filter.within(trie.node(scope).rows, by_kind);
}

std::string State::document(Row row) const {
  const NodeId document = document_node(row);
  if (document == kNoNode || !trie.contains(document)) return "";
  return trie.is_within(node(row), document) ? trie.uri(document) : "";
}

std::string_view State::given_preview(Row row) const {
  if (row < mapped()) return mapped_rows->preview(row);
  const Ref<const SharedText>& given = records[row - mapped()].preview;
  return given ? given->text : std::string_view();
}

std::string State::preview(Row row) const {
  const std::string_view given = given_preview(row);
  return given.empty() ? beginning_of(texts.text(row)) : std::string(given);
}

}  // namespace knarr
