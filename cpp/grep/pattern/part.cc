#include "grep/pattern/part.h"

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

// Longer texts say more, and so do fewer of them.
double worth(const Clause& clause) {
  return static_cast<double>(std::min<std::size_t>(shortest(clause), 8)) -
         static_cast<double>(clause.size()) / 16;
}

bool is_clause(const std::vector<std::string>& texts) {
  return !texts.empty() && shortest(texts) >= kLeastClauseBytes;
}

}  // namespace

Clause Part::best_clause() const {
  if (is_exact) return is_clause(texts) ? texts : Clause{};
  const auto best =
      std::max_element(clauses.begin(), clauses.end(),
                       [](const auto& a, const auto& b) { return worth(a) < worth(b); });
  return best == clauses.end() ? Clause{} : *best;
}

Part empty_part() {
  Part part;
  part.is_exact = true;
  part.texts = {""};
  return part;
}

Part any_part() {
  Part part;
  part.ascii.set();
  part.longest_bytes = kUnbounded;
  return part;
}

Sequence::Sequence() : texts_{""} {}

void Sequence::add(const Part& part) {
  sum_.ascii |= part.ascii;
  sum_.longest_bytes = plus(sum_.longest_bytes, part.longest_bytes);
  join(part);
}

void Sequence::add_repeated(const Part& part, std::uint32_t least, std::uint32_t most) {
  if (most > 0) sum_.ascii |= part.ascii;
  sum_.longest_bytes = plus(sum_.longest_bytes, times(part.longest_bytes, most));
  if (most == 0) return;
  if (least == 0) {
    Part maybe = part;
    if (most == 1 && part.is_exact && part.texts.size() < kMostTexts / 4) {
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
  const std::uint32_t copies = std::min<std::uint32_t>(least, kMostClauseBytes);
  for (std::uint32_t i = 0; i < copies; ++i) join(part);
  if (least == most && copies == least) return;
  // More copies may follow; the last one stands right before what comes next.
  part_here();
  texts_ = part.texts;
}

Part Sequence::finish() {
  if (is_whole_) {
    sum_.is_exact = true;
    sum_.texts = std::move(texts_);
  } else {
    part_here();
  }
  return std::move(sum_);
}

void Sequence::join(const Part& part) {
  if (!part.is_exact) {
    part_here();
    take_clauses(part);
    return;
  }
  if (texts_.size() * part.texts.size() > kMostTexts || shortest(texts_) >= kMostClauseBytes) {
    part_here();
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

// What stands here becomes a clause; what follows begins anew.
void Sequence::part_here() {
  if (is_clause(texts_)) sum_.clauses.push_back(std::move(texts_));
  texts_.assign(1, "");
  is_whole_ = false;
  while (sum_.clauses.size() > kMostClauses) {
    sum_.clauses.erase(
        std::min_element(sum_.clauses.begin(), sum_.clauses.end(),
                         [](const auto& a, const auto& b) { return worth(a) < worth(b); }));
  }
}

void Sequence::take_clauses(const Part& part) {
  sum_.clauses.insert(sum_.clauses.end(), part.clauses.begin(), part.clauses.end());
}

Part either(const std::vector<Part>& parts) {
  Part sum;
  sum.is_exact = true;
  Clause clause;
  bool has_clause = true;
  for (const Part& part : parts) {
    sum.ascii |= part.ascii;
    sum.longest_bytes = std::max(sum.longest_bytes, part.longest_bytes);
    sum.is_exact = sum.is_exact && part.is_exact && sum.texts.size() <= kMostTexts;
    if (sum.is_exact) sum.texts.insert(sum.texts.end(), part.texts.begin(), part.texts.end());
    if (!has_clause) continue;
    const Clause best = part.best_clause();
    clause.insert(clause.end(), best.begin(), best.end());
    has_clause = !best.empty() && clause.size() <= kMostClauseTexts;
  }
  make_distinct(sum.texts);
  sum.is_exact = sum.is_exact && sum.texts.size() <= kMostTexts;
  if (sum.is_exact) return sum;
  sum.texts.clear();
  make_distinct(clause);
  if (has_clause) sum.clauses.push_back(std::move(clause));
  return sum;
}

}  // namespace knarr
