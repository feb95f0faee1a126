// Grep on any pattern and text: it answers or refuses, within bounds and in time.
//
// Input: a byte of flags, a byte for where slices are cut and which are allowed, the pattern up to
// a zero byte, the text. Results with the index, without it and without any facts of the pattern
// must be the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "grep/grep.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::vector<knarr::Slice> cut(std::string_view text, unsigned step) {
  std::vector<knarr::Slice> slices;
  std::size_t at = 0;
  do {
    const auto end = knarr::boundary_after(text, std::min(at + step, text.size()));
    slices.push_back({static_cast<knarr::Row>(slices.size()), static_cast<std::uint32_t>(at),
                      static_cast<std::uint32_t>(end)});
    at = end;
  } while (at < text.size());
  return slices;
}

void check(const knarr::GrepResult& result, std::string_view text, const knarr::RowSet& allowed,
           const knarr::GrepOptions& options) {
  std::uint32_t last_end = 0;
  for (const knarr::GrepMatch& match : result.matches) {
    require(match.begin_byte >= last_end && match.begin_byte <= match.end_byte);
    require(match.end_byte <= text.size());
    require(match.end_byte == text.size() || knarr::begins_character(text[match.end_byte]));
    require(!match.rows.empty() && match.line >= 1 && match.column >= 1);
    for (const knarr::Row row : match.rows) require(allowed.contains(row));
    require(match.excerpt.size() <= options.width);
    require(match.excerpt.find_first_of("\r\n") == std::string::npos);
    require(knarr::first_invalid_utf8(match.excerpt) == match.excerpt.size());
    last_end = match.end_byte;
  }
  require(result.total >= result.matches.size());
  require(result.bytes_searched <= result.bytes_allowed);
}

// An equivalent pattern whose syntax is not known to the parser (`\C`): it has no facts, so
// everything is matched.
std::string opaque(std::string_view pattern) {
  return "(?:" + std::string(pattern) + R"()|[^\x00-\x{10FFFF}]\C)";
}

// The same matches, when both searches were complete.
void check_same(const knarr::GrepResult& with, const knarr::GrepResult& without) {
  if (with.outcome == knarr::GrepOutcome::kIncomplete) return;
  if (without.outcome == knarr::GrepOutcome::kIncomplete) return;
  require(with.total == without.total && with.matches.size() == without.matches.size());
  for (std::size_t i = 0; i < with.matches.size(); ++i) {
    require(with.matches[i].begin_byte == without.matches[i].begin_byte);
    require(with.matches[i].end_byte == without.matches[i].end_byte);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t zero = rest.find('\0');
  if (zero == std::string_view::npos) return 0;
  const std::string_view pattern = rest.substr(0, zero);
  const std::string_view text = rest.substr(zero + 1);

  knarr::GrepOptions options;
  options.literal = (data[0] & 1) != 0;
  options.ignore_case = (data[0] & 2) != 0;
  options.width = 1 + data[0] / 4;
  options.timeout_ms = 500;
  try {
    knarr::TextStore store(1 + data[1] % 5);  // small pages: a short text has many
    const auto slices = cut(text, 1 + data[1] % 32);
    store.append(std::string(text), slices);
    knarr::RowSet allowed;
    for (const knarr::Slice& slice : slices) {
      if (data[1] < 128 || slice.row % 3 != 1) allowed.add_range(slice.row, slice.row + 1);
    }
    const knarr::TextView view = store.view();
    const knarr::GrepResult result = knarr::grep(view, allowed, pattern, options);
    check(result, text, allowed, options);
    options.index = knarr::IndexUse::kAlways;
    check_same(knarr::grep(view, allowed, pattern, options), result);
    if (!options.literal && pattern.find("\\Q") == std::string_view::npos) {
      options.index = knarr::IndexUse::kNever;
      check_same(knarr::grep(view, allowed, opaque(pattern), options), result);
    }
  } catch (const knarr::Error& error) {
    require(error.code() == knarr::ErrorCode::kInvalidArgument ||
            error.code() == knarr::ErrorCode::kUnsupported);
  }
  return 0;
}
