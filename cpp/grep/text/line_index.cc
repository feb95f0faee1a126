#include "grep/text/line_index.h"

#include <algorithm>

namespace knarr {
namespace {

constexpr std::size_t kSampleBytes = 4096;

std::uint32_t narrow(std::size_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

LineIndex::LineIndex(std::string_view text) : has_cr_(text.find('\r') != std::string_view::npos) {
  if (has_cr_) normalise(text);
  index(match_text(text));
}

void LineIndex::normalise(std::string_view text) {
  normal_.reserve(text.size());
  std::size_t at = 0;
  for (std::size_t cr; (cr = text.find('\r', at)) != std::string_view::npos;) {
    normal_.append(text.substr(at, cr - at));
    at = cr + 1;
    if (at < text.size() && text[at] == '\n') {
      drops_.push_back(narrow(normal_.size()));
      ++at;
    }
    normal_.push_back('\n');
  }
  normal_.append(text.substr(at));
  normal_.shrink_to_fit();
  drops_.shrink_to_fit();
}

void LineIndex::index(std::string_view match_text) {
  samples_.reserve(match_text.size() / kSampleBytes + 1);
  Sample sample{0, 0};
  for (std::size_t begin = 0; begin < match_text.size(); begin += kSampleBytes) {
    samples_.push_back(sample);
    const auto part = match_text.substr(begin, kSampleBytes);
    sample.lines_before += narrow(std::count(part.begin(), part.end(), '\n'));
    const std::size_t last = part.rfind('\n');
    if (last != std::string_view::npos) sample.line_begin = narrow(begin + last + 1);
  }
}

std::uint32_t LineIndex::to_text(std::uint32_t match_byte) const {
  const auto dropped = std::lower_bound(drops_.begin(), drops_.end(), match_byte) - drops_.begin();
  return match_byte + narrow(dropped);
}

// The CR of drop i stands at byte drops_[i] + i of the text. These ascend: a binary search counts
// the CRs before a byte.
std::uint32_t LineIndex::to_match(std::uint32_t byte) const {
  std::uint32_t low = 0;
  std::uint32_t high = narrow(drops_.size());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (drops_[middle] + middle < byte) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return byte - low;
}

LineIndex::Line LineIndex::line_at(std::string_view match_text, std::uint32_t match_byte) const {
  if (match_text.empty()) return {1, 0};
  // The end of the text belongs to its last line, and opens none.
  const std::size_t byte = std::min<std::size_t>(match_byte, match_text.size() - 1);
  const Sample& sample = samples_[byte / kSampleBytes];
  const std::size_t begin = byte - byte % kSampleBytes;
  const auto part = match_text.substr(begin, byte - begin);
  const std::size_t last = part.rfind('\n');
  return {sample.lines_before + 1 + narrow(std::count(part.begin(), part.end(), '\n')),
          last == std::string_view::npos ? sample.line_begin : narrow(begin + last + 1)};
}

std::size_t LineIndex::size_bytes() const {
  return normal_.capacity() + drops_.capacity() * sizeof(std::uint32_t) +
         samples_.capacity() * sizeof(Sample);
}

}  // namespace knarr
