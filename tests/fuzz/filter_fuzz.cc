// Bytes of a filter: they are refused, or one set of rows, with which all operations agree.
//
// Input: a 16-bit length, that many bytes of a portable Roaring bitmap, then the bytes of another
// one. Bytes that are none are taken as a mask of rows, eight to a byte.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.h"
#include "base/error.h"
#include "filter/rows.h"

namespace {

using knarr::Row;
using knarr::RowSet;

void require(bool condition) {
  if (!condition) std::abort();
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Of sets with more than these, sums and round trips are left out: building them takes long.
constexpr std::uint64_t kMostRanges = 2'000;

RowSet rows_of(std::string_view bytes) {
  try {
    return RowSet::from_portable(bytes_of(bytes));
  } catch (const knarr::Error& error) {
    require(error.code() == knarr::ErrorCode::kInvalidArgument);
  }
  std::vector<std::uint8_t> mask;
  for (const char c : bytes) mask.resize(mask.size() + 8, static_cast<std::uint8_t>(c) & 1);
  return RowSet::from_mask(mask);
}

void check(const RowSet& rows) {
  std::uint64_t count = 0;
  std::uint64_t ranges = 0;
  RowSet again;
  Row last = 0;
  rows.for_each_range([&](Row begin, Row end) {
    require(begin < end && (ranges == 0 || begin > last));
    require(rows.contains(begin) && rows.contains(end - 1) && !rows.contains(end));
    count += end - begin;
    last = end;
    again.add_range(begin, end);
    return ++ranges < kMostRanges;
  });
  if (ranges == kMostRanges) return;
  require(count == rows.size() && again == rows && rows.empty() == (count == 0));
  require(rows.is_range() == (ranges < 2));
  require(RowSet::from_portable(bytes_of(rows.to_portable())) == rows);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t length = knarr::load_little<std::uint16_t>(data);
  const RowSet a = rows_of(rest.substr(0, length));
  const RowSet b = rows_of(rest.substr(std::min(length, rest.size())));
  const RowSet both = a & b, either = a | b, only = a - b;
  for (const RowSet* each : {&a, &b, &both, &either, &only}) check(*each);
  require(a.intersects(b) == !both.empty() && b.intersects(a) == !both.empty());
  require(a.shared(b) == both.size() && b.shared(a) == both.size());
  require(either.size() == a.size() + b.size() - both.size() &&
          only.size() == a.size() - both.size());
  require((only | both) == a && (either - b) == only);
  RowSet changed = a;
  changed.remove(b);
  require(changed == only);
  changed.add(b);
  require(changed == either);
  return 0;
}
