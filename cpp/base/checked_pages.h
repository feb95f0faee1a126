// CheckedPages: pages of some mapped bytes, each checked before its first use.
//
// Threads: any. Two that need the same page may both check it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace knarr {

class CheckedPages {
 public:
  // check(page) throws when the page is damaged, each time.
  CheckedPages(std::size_t pages, std::function<void(std::size_t page)> check)
      : done_(pages), left_(pages), check_(std::move(check)) {}

  // Returns when the page may be used; throws what its check throws.
  void need(std::size_t page) const {
    if (all() || done_[page].load(std::memory_order_acquire)) return;
    check_(page);
    if (!done_[page].exchange(true, std::memory_order_acq_rel)) {
      left_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  std::size_t pages() const { return done_.size(); }
  // Whether there is none left to check.
  bool all() const { return left_.load(std::memory_order_acquire) == 0; }

 private:
  mutable std::vector<std::atomic<bool>> done_;
  mutable std::atomic<std::size_t> left_;
  std::function<void(std::size_t)> check_;
};

}  // namespace knarr
