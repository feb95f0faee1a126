// A call of the matcher cannot be stopped, and takes at most (bytes ahead) x (size of the program)
// steps. To keep the deadline, text is handed to it in pieces that take a fraction of a second even
// in the worst case.
//
// Text may be cut at cut points (cut_points.h) without losing a match; for most patterns these are
// the line ends. When every match contains a text of a clause, only the pieces around its
// occurrences are matched at all.
//
// Text that cannot be cut (a pattern that crosses lines, a line without end) is first matched on
// growing windows, only to measure the rate. When the rate says that the whole would run past the
// deadline, the text is left out, and the time left goes to the texts after it.
#include "grep/scan.h"

#include <algorithm>

#include "base/utf8.h"

namespace knarr {
namespace {

constexpr std::size_t kStepsPerPiece = 50'000'000;  // about half a second at the slowest
constexpr std::size_t kMinPiece = 4 << 10;
constexpr std::size_t kMaxPiece = 1 << 20;
// Where RE2 cannot match all texts, small pieces leave it more of them.
constexpr std::size_t kMixedPiece = 32 << 10;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

class RunScanner {
 public:
  RunScanner(const Pattern& pattern, const Block& block, const RunSearch& search,
             std::uint64_t keep, Deadline& deadline, ScanResult& result)
      : pattern_(pattern),
        block_(block),
        search_(search),
        run_(search.run),
        keep_(keep),
        deadline_(deadline),
        result_(result),
        text_(block.match_text()),
        end_(block.to_match(search.run.end_byte)),
        piece_(std::clamp(kStepsPerPiece / pattern.cost(), kMinPiece, kMaxPiece)) {}

  void scan(std::span<const Stretch> stretches) {
    for (const Stretch& stretch : stretches) {
      if (!scan_stretch(stretch)) return;
    }
    result_.bytes_searched += search_.end_byte - search_.begin_byte;
  }

 private:
  // False when it had to stop, with the place noted.
  bool scan_stretch(const Stretch& stretch) {
    limit_ = stretch.end;
    for (std::size_t from = stretch.begin; from < limit_;) {
      const Pattern::Span piece = next_piece(from);
      if (deadline_.passed() || !affordable(piece.begin, piece.end) ||
          !scan_piece(piece.begin, piece.end)) {
        stop(std::max(piece.begin, searched_));
        return false;
      }
      from = piece.end;
    }
    return true;
  }

  // The next piece to match, at or behind `from`. No match begins between `from` and the piece.
  Pattern::Span next_piece(std::size_t from) {
    std::size_t at = from;
    if (pattern_.finder().is_usable() && !finds_too_many()) {
      at = pattern_.finder().find(text_, from, limit_);
    } else if (!pattern_.required().empty()) {
      at = find_text(text_, from, limit_, pattern_.required());
    } else {
      return {from, piece_end(from)};
    }
    if (at == std::string_view::npos) return {limit_, limit_};
    const CutPoints& cuts = pattern_.cut_points();
    if (!cuts.any()) return {from, piece_end(from)};
    const Pattern::Span piece{cuts.before(text_, at, from), cuts.after(text_, at, limit_)};
    ++finds_;
    passed_bytes_ += piece.end - from;
    return piece;
  }

  // Where occurrences are dense, going from one to the next is slower than matching everything.
  bool finds_too_many() const {
    constexpr std::size_t enough = 64;
    constexpr std::size_t dense = 160;  // bytes from one occurrence to the next
    return finds_ >= enough && passed_bytes_ / finds_ < dense;
  }

  std::size_t piece_end(std::size_t from) const {
    const std::size_t bytes = pattern_.may_need_unicode() ? std::min(piece_, kMixedPiece) : piece_;
    if (pattern_.crosses_lines() || limit_ - from <= bytes) return limit_;
    // The last line end of the piece, or the first one after it.
    std::size_t cut = text_.substr(from, bytes).rfind('\n');
    if (cut != std::string_view::npos) return from + cut + 1;
    cut = text_.find('\n', from + bytes);
    return cut == std::string_view::npos || cut + 1 >= limit_ ? limit_ : cut + 1;
  }

  // Measures on growing windows until the rest is expected to fit into the time left.
  bool affordable(std::size_t from, std::size_t to) {
    for (std::size_t window = piece_; window < to - from; window *= 4) {
      const auto begun = Deadline::Clock::now();
      Pattern::Span unused;
      const std::size_t end = from + window;
      pattern_.find(text_, from, end, pattern_.needs_unicode(text_, from, end), unused);
      const auto took = Deadline::Clock::now() - begun;
      const auto next = static_cast<double>(std::min(window * 4, to - from));
      if (took * (next / static_cast<double>(window)) > deadline_.left()) return false;
    }
    return true;
  }

  // False when the deadline passed; `searched_` is then where it stopped.
  bool scan_piece(std::size_t from, std::size_t to) {
    Pattern::Span match{};
    const bool unicode = pattern_.needs_unicode(text_, from, to);
    for (std::size_t at = from;
         at <= to && from < to && pattern_.find(text_, at, to, unicode, match);) {
      // A match that begins where the next piece begins belongs to that piece.
      if (match.begin == to && to < end_) break;
      at = match.begin == match.end ? after_empty(match.begin) : after(match);
      searched_ = at;
      if (deadline_.passed()) return at >= to;
    }
    return true;
  }

  // Records a match that is not empty. Only `\C` can match a part of a character; the match is then
  // extended to the whole character.
  std::size_t after(Pattern::Span match) {
    last_end_ = std::min(boundary_after(text_, match.end), end_);
    record(boundary_before(text_, match.begin), last_end_);
    return last_end_;
  }

  // Records an empty match unless it is inside a character, at the end of the match before it, or
  // at the end of the run: there it belongs to the next slice, and behind a final line end to no
  // line.
  std::size_t after_empty(std::size_t at) {
    const bool inside = at < text_.size() && !begins_character(text_[at]);
    const bool beyond = at == end_ && (at < text_.size() || text_.back() == '\n');
    if (!inside && !beyond && at != last_end_) record(at, at);
    return boundary_after(text_, at + 1);
  }

  void record(std::size_t begin, std::size_t end) {
    if (result_.total++ >= keep_) return;
    const auto begin_byte = block_.to_text(static_cast<std::uint32_t>(begin));
    const auto end_byte = block_.to_text(static_cast<std::uint32_t>(end));
    // A slice may end between a CR and its LF: the match is then cut to the run.
    result_.matches.push_back({run_, std::max(begin_byte, run_.begin_byte),
                               std::clamp(end_byte, run_.begin_byte, run_.end_byte)});
  }

  void stop(std::size_t at) {
    const auto match_byte = static_cast<std::uint32_t>(std::min(at, end_));
    const std::uint32_t byte =
        std::clamp(block_.to_text(match_byte), run_.begin_byte, run_.end_byte);
    result_.bytes_searched += std::max(byte, search_.begin_byte) - search_.begin_byte;
    if (result_.stopped_block != kNoBlock) return;
    result_.stopped_block = run_.block;
    result_.stopped_byte = byte;
  }

  const Pattern& pattern_;
  const Block& block_;
  const RunSearch& search_;
  const TextRun& run_;
  const std::uint64_t keep_;
  Deadline& deadline_;
  ScanResult& result_;
  const std::string_view text_;  // offsets below are of this, the block's match text
  const std::size_t end_;
  std::size_t limit_ = 0;  // the end of the stretch
  const std::size_t piece_;
  std::size_t last_end_ = kNowhere;
  std::size_t searched_ = 0;
  std::size_t finds_ = 0;
  std::size_t passed_bytes_ = 0;
};

}  // namespace

void scan(const Pattern& pattern, const Block& block, const RunSearch& search,
          std::span<const Stretch> stretches, std::uint64_t keep, Deadline& deadline,
          ScanResult& result) {
  RunScanner(pattern, block, search, keep, deadline, result).scan(stretches);
}

}  // namespace knarr
