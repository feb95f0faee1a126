// The cache of recent patterns: an agent greps the same words in scope after scope.
//
// The least recently used pattern is dropped first. A pattern grows while it matches, by RE2's
// automata, so the cache is small, and costly programs are not kept at all.
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "grep/pattern/pattern.h"

namespace knarr {
namespace {

constexpr std::size_t kPatternsKept = 16;
constexpr std::size_t kCostKept = 5'000;

class PatternCache {
 public:
  std::shared_ptr<const Pattern> get(std::string_view pattern, bool literal, bool ignore_case) {
    std::string key{static_cast<char>('0' + (literal ? 1 : 0) + (ignore_case ? 2 : 0))};
    key.append(pattern);
    if (auto known = find(key)) return known;
    // Compiled outside the lock: two threads may both do it, which costs less than waiting.
    auto made = std::make_shared<const Pattern>(pattern, literal, ignore_case);
    if (made->cost() <= kCostKept) keep(std::move(key), made);
    return made;
  }

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const Pattern>>;

  std::shared_ptr<const Pattern> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  void keep(std::string key, std::shared_ptr<const Pattern> pattern) {
    const std::lock_guard lock(mutex_);
    if (by_key_.contains(key)) return;
    entries_.emplace_front(std::move(key), std::move(pattern));
    by_key_.emplace(entries_.front().first, entries_.begin());
    if (entries_.size() > kPatternsKept) {
      by_key_.erase(entries_.back().first);
      entries_.pop_back();
    }
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // the most recent first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;  // keys in entries_
};

}  // namespace

std::shared_ptr<const Pattern> cached_pattern(std::string_view pattern, bool literal,
                                              bool ignore_case) {
  // Never destroyed: threads may still grep while the process exits.
  static auto& cache = *new PatternCache;
  return cache.get(pattern, literal, ignore_case);
}

}  // namespace knarr
