#include "grep/pattern/cuts.h"

#include <cstring>

namespace knarr {

Cuts::Cuts(const AsciiSet& ascii) {
  for (std::size_t c = 0; c < ascii.size(); ++c) parts_[c] = !ascii[c];
  const AsciiSet others = ~ascii;
  any_ = others.any();
  only_lines_ = others.count() == 1 && others['\n'];
}

std::size_t Cuts::before(std::string_view text, std::size_t at, std::size_t low) const {
  if (!any_) return low;
  if (only_lines_) {
    const void* end = memrchr(text.data() + low, '\n', at - low);
    return end == nullptr
               ? low
               : static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1;
  }
  while (at > low && !parts_[static_cast<unsigned char>(text[at - 1])]) --at;
  return at;
}

std::size_t Cuts::after(std::string_view text, std::size_t at, std::size_t high) const {
  if (!any_ || at >= high) return high;
  if (only_lines_) {
    const void* end = std::memchr(text.data() + at, '\n', high - at);
    return end == nullptr
               ? high
               : static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1;
  }
  while (at < high && !parts_[static_cast<unsigned char>(text[at])]) ++at;
  return at < high ? at + 1 : high;
}

}  // namespace knarr
