// LineIndex: line numbers and line ends of one text.
//
// The text is cut into pieces of 4 KiB; for each the index keeps how many lines end before it and
// where the line open at its start began. A question then costs a scan of one piece at most, and
// the index a five-hundredth of the text. A text with a CR gets a second form, where each line end
// is one LF; the index keeps the places of the CRs dropped, to map offsets both ways.
//
// Threads: immutable. The text is not kept here: the same text must be passed to each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knarr {

class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  std::string_view match_text(std::string_view text) const { return has_cr_ ? normal_ : text; }
  std::uint32_t to_text(std::uint32_t match_byte) const;
  std::uint32_t to_match(std::uint32_t byte) const;

  // Of a byte of the match text. Numbers start at 1.
  struct Line {
    std::uint32_t number;
    std::uint32_t begin_byte;
  };
  Line line_at(std::string_view match_text, std::uint32_t match_byte) const;

  std::size_t size_bytes() const;

 private:
  struct Piece {
    std::uint32_t lines_before;  // line ends before the piece
    std::uint32_t line_begin;    // of the line that is open at its first byte
  };
  void normalise(std::string_view text);
  void index(std::string_view match_text);

  bool has_cr_ = false;
  std::string normal_;                // the match text, when has_cr_
  std::vector<std::uint32_t> drops_;  // match bytes of the LFs that were CRLF, ascending
  std::vector<Piece> pieces_;
};

}  // namespace knarr
