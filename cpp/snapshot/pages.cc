// Layout of a section of checksums: u32 version, u32 CRC of the bytes before the first page, u64
// bytes before the first page, u64 bytes of a page, u64 count, then a CRC for each page.
#include "snapshot/pages.h"

#include <algorithm>

#include "base/coding.h"
#include "base/crc32c.h"

namespace knarr {
namespace {

constexpr std::uint32_t kSumsVersion = 1;
constexpr std::size_t kLeastPagedBytes = std::size_t{1}
                                         << 20;  // smaller sections are checked whole

std::string sums_of(std::string_view name) { return std::string(name) + ".sums"; }

struct PageSums {
  std::size_t page_bytes = 0;
  std::vector<std::uint32_t> sums;
};

// Reads the checksums and checks the head. Empty when the sums have another version or page size.
PageSums read_sums(const Snapshot& snapshot, std::string_view name, std::size_t head_bytes,
                   std::size_t page_bytes, ByteSpan bytes) {
  const std::string section = sums_of(name);
  const std::string place = snapshot.path() + ": section '" + section + "'";
  Decoder in(snapshot.section(section), place);
  if (in.u32() != kSumsVersion) return {};
  const std::uint32_t head_sum = in.u32();
  if (in.u64() != head_bytes || in.u64() != page_bytes) return {};
  const std::uint64_t count = in.count(sizeof(std::uint32_t));
  if (bytes.size() < head_bytes ||
      count != (bytes.size() - head_bytes + page_bytes - 1) / page_bytes) {
    in.refuse("its count does not fit the section");
  }
  if (crc32c(bytes.first(head_bytes)) != head_sum) snapshot.corrupt(name, "its head is damaged");
  PageSums out{page_bytes, std::vector<std::uint32_t>(count)};
  for (std::uint32_t& sum : out.sums) sum = in.u32();
  in.expect_end();
  return out;
}

}  // namespace

PagedSection::PagedSection(SnapshotWriter& writer, std::string_view name, std::size_t page_bytes)
    : writer_(writer), name_(name), page_bytes_(page_bytes) {
  writer_.begin(name_);
}

void PagedSection::append(ByteSpan bytes) {
  writer_.append(bytes);
  if (!has_started_) {
    head_sum_ = crc32c(bytes, head_sum_);
    head_bytes_ += bytes.size();
    return;
  }
  while (!bytes.empty()) {
    const std::size_t in_page = at_ % page_bytes_;
    const ByteSpan part = bytes.first(std::min(page_bytes_ - in_page, bytes.size()));
    if (in_page == 0) sums_.push_back(0);
    sums_.back() = crc32c(part, sums_.back());
    at_ += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void PagedSection::end() {
  writer_.end();
  if (head_bytes_ + at_ < kLeastPagedBytes) return;
  Encoder out;
  out.u32(kSumsVersion);
  out.u32(head_sum_);
  out.u64(head_bytes_);
  out.u64(page_bytes_);
  out.u64(sums_.size());
  for (const std::uint32_t sum : sums_) out.u32(sum);
  writer_.add(sums_of(name_), out.bytes());
}

OpenedSection open_paged(const std::shared_ptr<const Snapshot>& snapshot, std::string_view name,
                         std::size_t head_bytes, std::size_t page_bytes,
                         std::function<bool(ByteSpan page)> is_sound) {
  const ByteSpan bytes = snapshot->unchecked_section(name);
  if (snapshot->is_checked(name) || bytes.size() < kLeastPagedBytes ||
      !snapshot->has(sums_of(name))) {
    return {snapshot->section(name), nullptr};
  }
  PageSums found = read_sums(*snapshot, name, head_bytes, page_bytes, bytes);
  if (found.sums.empty()) return {snapshot->section(name), nullptr};
  const ByteSpan paged = bytes.subspan(head_bytes);
  const std::size_t pages = found.sums.size();
  auto check = [snapshot, name = std::string(name), paged, page_bytes, sums = std::move(found.sums),
                is_sound = std::move(is_sound)](std::size_t page) {
    const std::size_t begin = page * page_bytes;
    const ByteSpan part = paged.subspan(begin, std::min(page_bytes, paged.size() - begin));
    if (crc32c(part) != sums[page] || !is_sound(part)) {
      snapshot->corrupt(name, "page " + std::to_string(page) +
                                  " is damaged; what does not need it still works. Make the file "
                                  "anew from its source");
    }
  };
  auto ask = [snapshot, paged, page_bytes](std::size_t begin, std::size_t end) {
    const std::size_t from = begin * page_bytes;
    snapshot->ask_for(paged.subspan(from, std::min(end * page_bytes, paged.size()) - from));
  };
  return {bytes, std::make_shared<const CheckedPages>(pages, std::move(check), std::move(ask))};
}

}  // namespace knarr
