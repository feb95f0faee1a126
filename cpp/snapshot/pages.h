// Checksums of the pages of a section, so that a large file can be opened without reading it all.
//
// A section of 1 MiB or more gets a second section, `<name>.sums`, with a CRC for each page. A page
// is checked when a call first needs it (base/checked_pages.h); a damaged page fails that call
// only. A section without sums is checked whole.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/checked_pages.h"
#include "snapshot/snapshot.h"

namespace knarr {

// Writes a section and the checksums of its pages. Pages of `page_bytes` begin where start() is
// called; what is appended before is the head, which is checked when the file is opened.
class PagedSection {
 public:
  PagedSection(SnapshotWriter& writer, std::string_view name, std::size_t page_bytes);
  void append(ByteSpan bytes);
  void start() { has_started_ = true; }
  void end();

 private:
  SnapshotWriter& writer_;
  std::string name_;
  std::size_t page_bytes_;
  std::uint32_t head_sum_ = 0;
  std::size_t head_bytes_ = 0;
  bool has_started_ = false;
  std::size_t at_ = 0;  // bytes behind the head
  std::vector<std::uint32_t> sums_;
};

// The bytes of a section. Its head has been checked. `pages` checks the rest on demand; when it is
// null, all has been checked.
struct OpenedSection {
  ByteSpan bytes;
  std::shared_ptr<const CheckedPages> pages;
};

// Opens a section written by PagedSection with the same sizes. `is_sound(page)` is a further test
// of a page whose checksum is right, run when the page is checked. When `pages` of the result is
// null, the caller must test all bytes itself.
OpenedSection open_paged(const std::shared_ptr<const Snapshot>& snapshot, std::string_view name,
                         std::size_t head_bytes, std::size_t page_bytes,
                         std::function<bool(ByteSpan page)> is_sound);

}  // namespace knarr
