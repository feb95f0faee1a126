// Checksums of the pages of a section, for sections that are too large to be read whole when a file
// is opened: those of a mebibyte or more. They stand in a section of their own, `<name>.sums`: a
// file without is checked whole.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/checked_pages.h"
#include "snapshot/snapshot.h"

namespace knarr {

// Writes a section, and the sums of its pages: of `page_bytes` each, from where start() is called
// on.
class PagedSection {
 public:
  PagedSection(SnapshotWriter& writer, std::string_view name, std::size_t page_bytes);
  void append(ByteSpan bytes);  // before start(): a head that is checked when the file is opened
  void start() { has_started_ = true; }
  void end();

 private:
  SnapshotWriter& writer_;
  std::string name_;
  std::size_t page_bytes_;
  std::uint32_t head_sum_ = 0;
  std::size_t head_bytes_ = 0;
  bool has_started_ = false;
  std::size_t at_ = 0;     // bytes behind the head
  std::uint32_t sum_ = 0;  // of the page that is open
  std::vector<std::uint32_t> sums_;
};

// The bytes of a section of which the first `head_bytes` are checked; the rest is, page by page, by
// `pages`, or has been when that is null.
struct OpenedSection {
  ByteSpan bytes;
  std::shared_ptr<const CheckedPages> pages;
};

// `is_sound` says whether a page's bytes are what they should be, beside their sum: it is asked for
// each page that is checked here; when there are none, the caller is to look at all of it.
OpenedSection open_paged(const std::shared_ptr<const Snapshot>& snapshot, std::string_view name,
                         std::size_t head_bytes, std::size_t page_bytes,
                         std::function<bool(ByteSpan page)> is_sound);

}  // namespace knarr
