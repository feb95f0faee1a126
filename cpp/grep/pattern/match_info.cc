#include "grep/pattern/match_info.h"

#include <algorithm>

namespace knarr {
namespace {

std::uint32_t plus(std::uint32_t a, std::uint32_t b) {
  return a > kUnbounded - b ? kUnbounded : a + b;
}

std::uint32_t times(std::uint32_t a, std::uint32_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kUnbounded / b ? kUnbounded : a * b;
}

std::size_t shortest(const std::vector<std::string>& texts) {
  std::size_t least = texts.empty() ? 0 : texts.front().size();
  for (const std::string& text : texts) least = std::min(least, text.size());
  return least;
}

void make_distinct(std::vector<std::string>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

// Longer texts narrow a search more, and so do fewer of them.
double worth(const Clause& clause) {
  return static_cast<double>(std::min<std::size_t>(shortest(clause), 8)) -
         static_cast<double>(clause.size()) / 16;
}

bool is_clause(const std::vector<std::string>& texts) {
  return !texts.empty() && shortest(texts) >= kMinClauseBytes;
}

bool is_worth_less(const Clause& a, const Clause& b) { return worth(a) < worth(b); }

}  // namespace

const Clause* best_clause(const std::vector<Clause>& clauses) {
  const auto best = std::max_element(clauses.begin(), clauses.end(), is_worth_less);
  return best == clauses.end() ? nullptr : &*best;
}

std::vector<Clause> MatchInfo::own_clauses() && {
  if (!is_exact) return std::move(clauses);
  std::vector<Clause> only;
  if (is_clause(texts)) only.push_back(std::move(texts));
  return only;
}

MatchInfo empty_match() {
  MatchInfo info;
  info.is_exact = true;
  info.texts = {""};
  return info;
}

void SequenceInfo::add(const MatchInfo& part) {
  sum_.ascii |= part.ascii;
  sum_.longest_bytes = plus(sum_.longest_bytes, part.longest_bytes);
  join(part);
}

void SequenceInfo::add_repeated(const MatchInfo& part, std::uint32_t least, std::uint32_t most) {
  if (most > 0) sum_.ascii |= part.ascii;
  sum_.longest_bytes = plus(sum_.longest_bytes, times(part.longest_bytes, most));
  if (most == 0) return;
  if (least == 0) {
    MatchInfo maybe = part;
    if (most == 1 && part.is_exact && part.texts.size() < kMaxExactTexts / 4) {
      maybe.texts.emplace_back();
      make_distinct(maybe.texts);
    } else {
      maybe.is_exact = false;
      maybe.clauses.clear();
    }
    join(maybe);
    return;
  }
  if (!part.is_exact) {
    join(part);
    return;
  }
  const std::uint32_t copies = std::min<std::uint32_t>(least, kMaxClauseBytes);
  for (std::uint32_t i = 0; i < copies; ++i) join(part);
  if (least == most && copies == least) return;
  // More copies may follow; the last one stands right before the next part.
  close_clause();
  texts_ = part.texts;
}

MatchInfo SequenceInfo::finish() {
  if (is_whole_) {
    sum_.is_exact = true;
    sum_.texts = std::move(texts_);
  } else {
    close_clause();
  }
  return std::move(sum_);
}

void SequenceInfo::join(const MatchInfo& part) {
  if (!part.is_exact) {
    close_clause();
    sum_.clauses.insert(sum_.clauses.end(), part.clauses.begin(), part.clauses.end());
    return;
  }
  if (texts_.size() * part.texts.size() > kMaxExactTexts || shortest(texts_) >= kMaxClauseBytes) {
    close_clause();
    texts_ = part.texts;
    return;
  }
  if (texts_.size() == 1 && part.texts.size() == 1) {  // the common case, in place
    texts_.front() += part.texts.front();
    return;
  }
  std::vector<std::string> joined;
  joined.reserve(texts_.size() * part.texts.size());
  for (const std::string& before : texts_) {
    for (const std::string& after : part.texts) joined.push_back(before + after);
  }
  make_distinct(joined);
  texts_ = std::move(joined);
}

// The texts collected so far become a clause, and the collection begins anew. The clauses worth
// least are dropped.
void SequenceInfo::close_clause() {
  if (is_clause(texts_)) sum_.clauses.push_back(std::move(texts_));
  texts_.assign(1, "");
  is_whole_ = false;
  while (sum_.clauses.size() > kMaxClauses) {
    sum_.clauses.erase(std::min_element(sum_.clauses.begin(), sum_.clauses.end(), is_worth_less));
  }
}

MatchInfo any_of(const std::vector<MatchInfo>& parts) {
  MatchInfo sum;
  sum.is_exact = true;
  Clause clause;
  bool has_clause = true;
  for (const MatchInfo& part : parts) {
    sum.ascii |= part.ascii;
    sum.longest_bytes = std::max(sum.longest_bytes, part.longest_bytes);
    sum.is_exact = sum.is_exact && part.is_exact && sum.texts.size() <= kMaxExactTexts;
    if (sum.is_exact) sum.texts.insert(sum.texts.end(), part.texts.begin(), part.texts.end());
    if (!has_clause) continue;
    const std::vector<Clause> clauses = MatchInfo(part).own_clauses();
    const Clause* best = best_clause(clauses);
    if (best != nullptr) clause.insert(clause.end(), best->begin(), best->end());
    has_clause = best != nullptr && clause.size() <= kMaxClauseTexts;
  }
  make_distinct(sum.texts);
  sum.is_exact = sum.is_exact && sum.texts.size() <= kMaxExactTexts;
  if (sum.is_exact) return sum;
  sum.texts.clear();
  make_distinct(clause);
  if (has_clause) sum.clauses.push_back(std::move(clause));
  return sum;
}

}  // namespace knarr
