// Read and Grep.
//
// The text of a URI is a list of pieces of blocks, in row order; adjacent pieces are joined. So a
// section of a document is one piece, and its byte offsets and lines are those of the document.
#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "engine/engine.h"

namespace knarr {
namespace {

struct TextPiece {
  BlockId block;
  std::uint32_t begin_byte;
  std::uint32_t end_byte;
  std::uint32_t first_slice;
};

// The text of an object, or of the chunks of a subtree, as far as the filter allows.
class JoinedText {
 public:
  JoinedText(const State& state, NodeId node, const Filter& filter) : state_(state) {
    const bool is_object = state.trie.node(node).is_object;
    rows_ = state.allowed(node, {is_object ? kAllKinds : kind_bit(Kind::kChunk), filter.rows});
    rows_.for_each_range([this](Row begin, Row end) {
      for (Row row = begin; row < end; ++row) append(row);
    });
  }

  std::uint64_t size() const { return size_; }
  const RowSet& rows() const { return rows_; }
  // The piece, when there is only one; else nullptr.
  const TextPiece* whole() const { return pieces_.size() == 1 ? &pieces_.front() : nullptr; }
  const Block& block(const TextPiece& piece) const { return *state_.texts.block(piece.block); }

  // The nearest beginning of a character at or before `at`, and the first one behind it.
  std::uint64_t boundary_at(std::uint64_t at) const {
    while (at > 0 && at < size_ && !begins_character(byte(at))) --at;
    return at;
  }
  std::uint64_t boundary_after(std::uint64_t at) const {
    do {
      ++at;
    } while (at < size_ && !begins_character(byte(at)));
    return at;
  }

  // Calls f(piece, begin, end) for the parts of pieces within [begin, end) of the text.
  template <class F>
  void visit(std::uint64_t begin, std::uint64_t end, F&& f) const {
    for (std::size_t i = index_of(begin); i < pieces_.size() && begins_[i] < end; ++i) {
      const TextPiece& piece = pieces_[i];
      const std::uint64_t skip = begin > begins_[i] ? begin - begins_[i] : 0;
      const std::uint64_t length =
          std::min<std::uint64_t>(piece.end_byte - piece.begin_byte, end - begins_[i]);
      f(piece, static_cast<std::uint32_t>(piece.begin_byte + skip),
        static_cast<std::uint32_t>(piece.begin_byte + length));
    }
  }

  // The number, from 1, of the line with this byte of the joined text.
  std::uint32_t line_at(std::uint64_t at) const {
    std::uint64_t lines = 1;
    visit(0, at, [&](const TextPiece& piece, std::uint32_t begin, std::uint32_t end) {
      const std::string_view text = block(piece).text().substr(begin, end - begin);
      lines += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    });
    return static_cast<std::uint32_t>(lines);
  }

 private:
  void append(Row row) {
    const TextPlace place = state_.texts.place(row);
    if (place.block == kNoBlock) return;
    const Slice slice = state_.texts.block(place.block)->slice(place.slice);
    if (!pieces_.empty() && pieces_.back().block == place.block &&
        pieces_.back().end_byte == slice.begin_byte) {
      pieces_.back().end_byte = slice.end_byte;
    } else {
      begins_.push_back(size_);
      pieces_.push_back({place.block, slice.begin_byte, slice.end_byte, place.slice});
    }
    size_ += slice.end_byte - slice.begin_byte;
  }
  std::size_t index_of(std::uint64_t at) const {
    const auto after = std::ranges::upper_bound(begins_, at);
    return static_cast<std::size_t>(after - begins_.begin()) - (after == begins_.begin() ? 0 : 1);
  }
  char byte(std::uint64_t at) const {
    const std::size_t i = index_of(at);
    return block(pieces_[i]).text()[pieces_[i].begin_byte + (at - begins_[i])];
  }

  const State& state_;
  RowSet rows_;
  std::vector<TextPiece> pieces_;
  std::vector<std::uint64_t> begins_;  // of each piece, in the joined text
  std::uint64_t size_ = 0;
};

// Appends the URIs of the objects whose text overlaps [begin, end) of a block. An empty slice may
// lie between two joined ones; its row may be removed or belong elsewhere.
void add_uris(const State& state, const RowSet& rows, const Block& block, std::uint32_t begin,
              std::uint32_t end, std::vector<std::string>& out) {
  for (std::uint32_t i = block.slice_at(begin); i < block.slice_count(); ++i) {
    const Slice slice = block.slice(i);
    if (slice.begin_byte >= end) break;
    if (slice.end_byte > begin && rows.contains(slice.row)) out.push_back(state.uri(slice.row));
  }
}

void check_bounds(std::int64_t begin_byte, std::uint64_t total,
                  std::optional<std::int64_t> max_bytes) {
  if (begin_byte < 0 || static_cast<std::uint64_t>(begin_byte) > total) {
    fail(ErrorCode::kInvalidArgument, "begin_byte must be 0 to " + std::to_string(total) +
                                          ", got " + std::to_string(begin_byte));
  }
  if (max_bytes && *max_bytes < 1) {
    fail(ErrorCode::kInvalidArgument,
         "max_bytes must be at least 1, got " + std::to_string(*max_bytes));
  }
}

// Fills in the document, the base and the lines of a span whose bytes are known.
void place_span(const State& state, const JoinedText& text, TextSpan& span) {
  const std::uint64_t last = std::max(span.begin_byte + 1, span.end_byte) - 1;
  if (const TextPiece* piece = text.whole()) {
    const Block& block = text.block(*piece);
    span.base_byte = piece->begin_byte;
    span.document = state.document(block.slice(piece->first_slice).row);
    span.line_begin = block.line_at(static_cast<std::uint32_t>(span.base_byte + span.begin_byte));
    span.line_end = block.line_at(static_cast<std::uint32_t>(span.base_byte + last));
  } else {
    span.line_begin = text.line_at(span.begin_byte);
    span.line_end = text.line_at(last);
  }
}

GrepHit make_hit(const State& state, GrepMatch&& match) {
  GrepHit hit;
  for (const Row row : match.rows) hit.uris.push_back(state.uri(row));
  hit.uri = hit.uris.front();
  hit.row = match.rows.front();
  hit.line = match.line;
  hit.column = match.column;
  hit.begin_byte = match.begin_byte;
  hit.end_byte = match.end_byte;
  hit.excerpt = std::move(match.excerpt);
  hit.document = state.document(hit.row);
  return hit;
}

}  // namespace

TextSpan Engine::read(std::string_view uri, std::int64_t begin_byte,
                      std::optional<std::int64_t> max_bytes, const Filter& filter) const {
  const StatePtr state = this->state();
  const NodeId node = state->resolve(uri, filter);
  const JoinedText text(*state, node, filter);
  check_bounds(begin_byte, text.size(), max_bytes);
  TextSpan span;
  span.total_bytes = text.size();
  span.begin_byte = text.boundary_at(static_cast<std::uint64_t>(begin_byte));
  const std::uint64_t left = text.size() - span.begin_byte;
  const std::uint64_t wanted = max_bytes ? static_cast<std::uint64_t>(*max_bytes) : left;
  span.end_byte = wanted >= left ? text.size() : text.boundary_at(span.begin_byte + wanted);
  if (span.end_byte == span.begin_byte && left > 0)
    span.end_byte = text.boundary_after(span.begin_byte);
  if (span.end_byte < text.size()) span.next_offset = span.end_byte;
  span.text.reserve(span.end_byte - span.begin_byte);
  text.visit(span.begin_byte, span.end_byte,
             [&](const TextPiece& piece, std::uint32_t begin, std::uint32_t end) {
               span.text += text.block(piece).text().substr(begin, end - begin);
               add_uris(*state, text.rows(), text.block(piece), begin, end, span.uris);
             });
  if (span.uris.empty() && state->trie.node(node).is_object)
    span.uris.push_back(state->trie.uri(node));
  place_span(*state, text, span);
  return span;
}

GrepHits Engine::grep(std::string_view pattern, std::string_view scope, const Filter& filter,
                      const GrepOptions& options) const {
  const StatePtr state = this->state();
  const RowSet allowed = state->allowed(scope, filter);
  GrepResult found = knarr::grep(state->texts, allowed, pattern, options);
  GrepHits hits;
  hits.total = found.total;
  hits.outcome = found.outcome;
  hits.note = std::move(found.note);
  hits.next_offset = found.next_offset;
  if (found.first_unsearched != kNoRow) {
    hits.note += "; searched " + std::to_string(found.bytes_searched) + " of " +
                 std::to_string(found.bytes_allowed) + " bytes, not searched: from " +
                 state->uri(found.first_unsearched) + " on";
  }
  hits.matches.reserve(found.matches.size());
  for (GrepMatch& match : found.matches) hits.matches.push_back(make_hit(*state, std::move(match)));
  return hits;
}

}  // namespace knarr
