#include "grep/index/page_unit.h"

#include <algorithm>
#include <bit>

#include "grep/pattern/fold.h"

namespace knarr {
namespace {

// Grams of three bytes serve short texts; those of four bytes are rarer, so they exclude more
// pages.
std::uint32_t hash_of_three(std::uint32_t bytes) {
  return ((bytes & 0xFFFFFF) * 0x9E3779B1u) >> (32 - kHashBits);
}
std::uint32_t hash_of_four(std::uint32_t bytes) {
  return (bytes * 0x85EBCA6Bu) >> (32 - kHashBits);
}

// Sets the page's bit in the posting of every gram that begins in the span or shortly behind it.
void index_span(std::string_view text, const PageSpan& span, std::uint64_t bit,
                std::uint64_t* words) {
  if (text.size() < span.end) return;  // the block was released
  FoldedBytes bytes(text, span.begin);
  std::uint32_t last = 0;
  std::size_t seen = 0;
  const auto take = [&] {
    last = (last << 8) | bytes.next();
    ++seen;
    if (seen >= 3) words[hash_of_three(last)] |= bit;
    if (seen >= 4) words[hash_of_four(last)] |= bit;
  };
  while (bytes.at() < span.end) take();
  for (std::size_t i = 0; i < kPageOverlap && !bytes.done(); ++i) take();
}

template <std::size_t kWords>
PageBits pages_with(const std::uint64_t* table, const GramClause& clause) {
  PageBits any;
  for (const auto& hashes : clause) {
    std::array<std::uint64_t, kWords> all;
    all.fill(~std::uint64_t{0});
    for (const std::uint16_t hash : hashes) {
      std::uint64_t left = 0;
      for (std::size_t w = 0; w < kWords; ++w) left |= all[w] &= table[hash * kWords + w];
      if (left == 0) break;
    }
    for (std::size_t w = 0; w < kWords; ++w) any.words[w] |= all[w];
  }
  return any;
}

}  // namespace

PageUnit::PageUnit(Layout layout, MatchText text) : layout_(std::move(layout)) {
  auto words = std::make_shared<std::vector<std::uint64_t>>(kPostings);
  for (std::size_t i = 0; i < kWordPages; ++i) {
    for (const PageSpan& span : page(i)) {
      index_span(text(span.block), span, std::uint64_t{1} << i, words->data());
    }
  }
  table_.words = words->data();
  table_.owner = std::move(words);
}

PageUnit::PageUnit(std::span<const std::shared_ptr<const PageUnit>> small) {
  auto words = std::make_shared<std::vector<std::uint64_t>>(kPostings * kLargeWords);
  for (std::size_t w = 0; w < kLargeWords; ++w) {
    const Layout& part = small[w]->layout_;
    const auto before = static_cast<std::uint32_t>(layout_.spans.size());
    layout_.spans.insert(layout_.spans.end(), part.spans.begin(), part.spans.end());
    for (std::size_t i = 0; i < kWordPages; ++i) layout_.firsts.push_back(before + part.firsts[i]);
    for (std::size_t i = 0; i < kPostings; ++i)
      (*words)[i * kLargeWords + w] = small[w]->words()[i];
  }
  layout_.firsts.push_back(static_cast<std::uint32_t>(layout_.spans.size()));
  layout_.spans.shrink_to_fit();
  table_.words = words->data();
  table_.owner = std::move(words);
}

std::size_t PageUnit::size_bytes() const {
  return sizeof(PageUnit) + table_words() * sizeof(std::uint64_t) +
         layout_.spans.capacity() * sizeof(PageSpan) +
         layout_.firsts.capacity() * sizeof(std::uint32_t);
}

GramClause gram_clause(const Clause& clause) {
  GramClause out;
  out.reserve(clause.size());
  for (const std::string& text : clause) {
    std::vector<std::uint16_t> hashes;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < std::min(text.size(), kMaxClauseBytes); ++i) {
      last = (last << 8) | static_cast<unsigned char>(text[i]);
      if (i >= 2) hashes.push_back(static_cast<std::uint16_t>(hash_of_three(last)));
      if (i >= 3) hashes.push_back(static_cast<std::uint16_t>(hash_of_four(last)));
    }
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
    out.push_back(std::move(hashes));
  }
  return out;
}

std::size_t PageBits::count() const {
  std::size_t n = 0;
  for (const std::uint64_t word : words) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

PageBits pages_with(const PageUnit& unit, const GramClause& clause) {
  return unit.words_per_posting() == 1 ? pages_with<1>(unit.words(), clause)
                                       : pages_with<kLargeWords>(unit.words(), clause);
}

void prefetch(const PageUnit& unit, const GramClause& clause) {
  constexpr std::size_t most_texts = 4;
  constexpr std::size_t most_grams = 6;
  for (std::size_t t = 0; t < std::min(most_texts, clause.size()); ++t) {
    for (std::size_t i = 0; i < std::min(most_grams, clause[t].size()); ++i) {
      unit.prefetch(clause[t][i]);
    }
  }
}

}  // namespace knarr
