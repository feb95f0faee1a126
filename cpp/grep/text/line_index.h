// LineIndex: line numbers and line ends of one text.
//
// Every 4 KiB the index keeps a sample: how many lines end before that byte, and where the line
// that is open there began. A line number is then the sample's plus the line ends since, so a
// question costs a scan of 4 KiB at most, and the index takes a five-hundredth of the text.
//
// Patterns see every line end as one LF. A text with a CR therefore gets a second form, the match
// text, and the index keeps the places of the CRs that were dropped, to map offsets both ways.
//
// Threads: immutable. The text is not kept: the same text must be passed to each call.
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

  // The line that holds a byte of the match text.
  struct Line {
    std::uint32_t number;  // from 1
    std::uint32_t begin_byte;
  };
  Line line_at(std::string_view match_text, std::uint32_t match_byte) const;

  std::size_t size_bytes() const;

 private:
  struct Sample {
    std::uint32_t lines_before;  // line ends before its byte
    std::uint32_t line_begin;    // where the line that is open at its byte begins
  };
  void normalise(std::string_view text);
  void index(std::string_view match_text);

  bool has_cr_ = false;
  std::string normal_;                // the match text, when has_cr_
  std::vector<std::uint32_t> drops_;  // the LFs of the match text that were CRLF, ascending
  std::vector<Sample> samples_;
};

}  // namespace knarr
