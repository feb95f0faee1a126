// CheckedPages: which pages of some mapped bytes have passed their checksum.
//
// A large file is opened without reading it all. Each page is checked when a call first needs it,
// and the check is remembered; once all pages are checked, `need` costs one load.
//
// Threads: any. Two threads that need the same page may both check it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace knarr {

class CheckedPages {
 public:
  // check(page) throws when the page is damaged, each time it is called. ask(begin, end) asks the
  // system to read these pages, and returns at once.
  CheckedPages(std::size_t pages, std::function<void(std::size_t page)> check,
               std::function<void(std::size_t begin, std::size_t end)> ask = {})
      : done_(pages), asked_(pages), left_(pages), check_(std::move(check)), ask_(std::move(ask)) {}

  // Returns when the page may be used; throws what its check throws.
  void need(std::size_t page) const {
    if (all() || done_[page].load(std::memory_order_acquire)) return;
    check_(page);
    if (!done_[page].exchange(true, std::memory_order_acq_rel)) {
      left_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  // The same for the pages [begin, end).
  void need(std::size_t begin, std::size_t end) const {
    if (all()) return;
    for (; begin < end; ++begin) need(begin);
  }

  // Asks the system to read pages that will be needed soon, so that it reads them together rather
  // than one page fault after the other. Asks once for each page.
  void ask_for(std::size_t begin, std::size_t end) const {
    if (!ask_ || all()) return;
    const auto is_asked = [this](std::size_t page) {
      return asked_[page].load(std::memory_order_relaxed);
    };
    while (begin < end && is_asked(begin)) ++begin;
    while (begin < end && is_asked(end - 1)) --end;
    if (begin == end) return;
    for (std::size_t i = begin; i < end; ++i) asked_[i].store(true, std::memory_order_relaxed);
    ask_(begin, end);
  }

  std::size_t pages() const { return done_.size(); }
  // True when no page is left to check.
  bool all() const { return left_.load(std::memory_order_acquire) == 0; }

 private:
  mutable std::vector<std::atomic<bool>> done_;
  mutable std::vector<std::atomic<bool>> asked_;
  mutable std::atomic<std::size_t> left_;
  std::function<void(std::size_t)> check_;
  std::function<void(std::size_t, std::size_t)> ask_;
};

}  // namespace knarr
