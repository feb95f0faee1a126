#include "grep/index/page_unit.h"

#include <algorithm>
#include <bit>

#include "grep/pattern/fold.h"

namespace knarr {
namespace {

// Grams of three bytes, for short texts and rare letters, and of four, which tell more.
std::uint32_t line_of_three(std::uint32_t bytes) {
  return ((bytes & 0xFFFFFF) * 0x9E3779B1u) >> (32 - kLineBits);
}
std::uint32_t line_of_four(std::uint32_t bytes) {
  return (bytes * 0x85EBCA6Bu) >> (32 - kLineBits);
}

// Sets the page's bit for every gram that begins in the span or shortly behind it.
void index_span(std::string_view text, const PageSpan& span, std::uint64_t bit,
                std::uint64_t* words) {
  if (text.size() < span.end) return;  // the block is gone
  FoldedBytes bytes(text, span.begin);
  std::uint32_t last = 0;
  std::size_t seen = 0;
  const auto take = [&] {
    last = (last << 8) | bytes.next();
    ++seen;
    if (seen >= 3) words[line_of_three(last)] |= bit;
    if (seen >= 4) words[line_of_four(last)] |= bit;
  };
  while (bytes.at() < span.end) take();
  for (std::size_t i = 0; i < kPageOverlap && !bytes.done(); ++i) take();
}

template <std::size_t kWords>
Pages pages_of(const std::uint64_t* table, const GramLines& clause) {
  Pages any;
  for (const auto& lines : clause) {
    std::array<std::uint64_t, kWords> all;
    all.fill(~std::uint64_t{0});
    for (const std::uint16_t line : lines) {
      std::uint64_t left = 0;
      for (std::size_t w = 0; w < kWords; ++w) left |= all[w] &= table[line * kWords + w];
      if (left == 0) break;
    }
    for (std::size_t w = 0; w < kWords; ++w) any.words[w] |= all[w];
  }
  return any;
}

}  // namespace

PageUnit::PageUnit(Layout layout, Text text) : layout_(std::move(layout)) {
  auto words = std::make_shared<std::vector<std::uint64_t>>(kLines);
  for (std::size_t i = 0; i < kWordPages; ++i) {
    for (const PageSpan& span : page(i)) {
      index_span(text(span.block), span, std::uint64_t{1} << i, words->data());
    }
  }
  table_.words = words->data();
  table_.owner = std::move(words);
}

PageUnit::PageUnit(std::span<const std::shared_ptr<const PageUnit>> small) {
  auto words = std::make_shared<std::vector<std::uint64_t>>(kLines * kLargeWords);
  for (std::size_t w = 0; w < kLargeWords; ++w) {
    const Layout& part = small[w]->layout_;
    const auto before = static_cast<std::uint32_t>(layout_.spans.size());
    layout_.spans.insert(layout_.spans.end(), part.spans.begin(), part.spans.end());
    for (std::size_t i = 0; i < kWordPages; ++i) layout_.firsts.push_back(before + part.firsts[i]);
    for (std::size_t i = 0; i < kLines; ++i) (*words)[i * kLargeWords + w] = small[w]->words()[i];
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

GramLines gram_lines(const Clause& clause) {
  GramLines out;
  out.reserve(clause.size());
  for (const std::string& text : clause) {
    std::vector<std::uint16_t> lines;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < std::min(text.size(), kMostClauseBytes); ++i) {
      last = (last << 8) | static_cast<unsigned char>(text[i]);
      if (i >= 2) lines.push_back(static_cast<std::uint16_t>(line_of_three(last)));
      if (i >= 3) lines.push_back(static_cast<std::uint16_t>(line_of_four(last)));
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    out.push_back(std::move(lines));
  }
  return out;
}

std::size_t Pages::count() const {
  std::size_t n = 0;
  for (const std::uint64_t word : words) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

Pages pages_of(const PageUnit& unit, const GramLines& clause) {
  return unit.line_words() == 1 ? pages_of<1>(unit.words(), clause)
                                : pages_of<kLargeWords>(unit.words(), clause);
}

void fetch(const PageUnit& unit, const GramLines& clause) {
  constexpr std::size_t most_texts = 4;
  constexpr std::size_t most_lines = 6;
  for (std::size_t t = 0; t < std::min(most_texts, clause.size()); ++t) {
    for (std::size_t i = 0; i < std::min(most_lines, clause[t].size()); ++i) {
      unit.fetch(clause[t][i]);
    }
  }
}

}  // namespace knarr
