#include "grep/pattern/literal_finder.h"

#include <algorithm>
#include <bit>

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace knarr {
namespace {

constexpr std::size_t kMostNeedles = 64;

unsigned char lower(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return unsigned{byte} - 'A' < 26u ? byte | 0x20 : byte;
}

// How rare a byte is in texts, roughly; bytes that are not listed are the rarest.
std::size_t rarity(char c) {
  constexpr std::string_view common = " etaoinsrhldcumfpgwybv,.k-";
  return std::min(common.find(c), common.size());
}

// The longest part without s and k.
std::string_view unambiguous_part(std::string_view text) {
  std::string_view longest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("sk"), text.size());
    if (end > longest.size()) longest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

}  // namespace

LiteralFinder::LiteralFinder(const Clause& clause, bool is_loose) {
  if (clause.size() > kMostNeedles) return;
  std::vector<Needle> needles;
  for (const std::string& text : clause) {
    const std::string_view part = is_loose ? unambiguous_part(text) : std::string_view(text);
    if (part.size() < kFingerprintBytes) return;
    Needle needle{std::string(part), 0};
    std::size_t best = 0;
    for (std::size_t at = 0; at + kFingerprintBytes <= part.size(); ++at) {
      const std::size_t sum = rarity(part[at]) + rarity(part[at + 1]) + rarity(part[at + 2]);
      if (sum > best) {
        best = sum;
        needle.fingerprint = at;
      }
    }
    needles.push_back(std::move(needle));
  }
  needles_ = std::move(needles);
  fill_buckets();
}

// Texts with similar fingerprints share a bucket, which keeps the tables sparse.
void LiteralFinder::fill_buckets() {
  std::ranges::sort(needles_, {}, [](const Needle& needle) {
    return needle.text.substr(needle.fingerprint, kFingerprintBytes);
  });
  for (std::size_t b = 0; b <= kBuckets; ++b) buckets_[b] = needles_.size() * b / kBuckets;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    const auto bit = static_cast<std::uint8_t>(1u << b);
    for (std::size_t n = buckets_[b]; n < buckets_[b + 1]; ++n) {
      for (std::size_t i = 0; i < kFingerprintBytes; ++i) {
        const unsigned char byte = lower(needles_[n].text[needles_[n].fingerprint + i]);
        const bool is_letter = unsigned{byte} - 'a' < 26u;
        for (const unsigned form : {unsigned{byte}, is_letter ? byte ^ 0x20u : unsigned{byte}}) {
          bytes_[i][form] |= bit;
          halves_[i].low[form & 15] |= bit;
          halves_[i].high[form >> 4] |= bit;
        }
      }
    }
  }
}

// The first place of a text of these buckets whose fingerprint stands here.
std::size_t LiteralFinder::first_match(std::string_view text, std::size_t from, std::size_t to,
                                       std::size_t fingerprint, unsigned buckets) const {
  std::size_t first = kNowhere;
  for (; buckets != 0; buckets &= buckets - 1) {
    const auto b = static_cast<std::size_t>(std::countr_zero(buckets));
    for (std::size_t n = buckets_[b]; n < buckets_[b + 1]; ++n) {
      const Needle& needle = needles_[n];
      if (fingerprint < from + needle.fingerprint ||
          to - (fingerprint - needle.fingerprint) < needle.text.size())
        continue;
      const std::size_t begin = fingerprint - needle.fingerprint;
      const auto here = text.substr(begin, needle.text.size());
      const bool is_same = std::ranges::equal(here, needle.text, [](char a, char b) {
        return lower(a) == static_cast<unsigned char>(b);
      });
      if (is_same) first = std::min(first, begin);
    }
  }
  return first;
}

std::size_t LiteralFinder::find(std::string_view text, std::size_t from, std::size_t to) const {
#if defined(__x86_64__)
  if (cpu_level() >= CpuLevel::kAvx2) return find_avx2(text, from, to);
#endif
  return find_plain(text, from, to);
}

std::size_t LiteralFinder::find_plain(std::string_view text, std::size_t from,
                                      std::size_t to) const {
  return find_bytewise(text, from, to, from);
}

// Fingerprints from `at` on. The text around one may begin before, but not before `from`.
std::size_t LiteralFinder::find_bytewise(std::string_view text, std::size_t from, std::size_t to,
                                         std::size_t at) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (; at + kFingerprintBytes <= to; ++at) {
    const unsigned buckets =
        bytes_[0][bytes[at]] & bytes_[1][bytes[at + 1]] & bytes_[2][bytes[at + 2]];
    if (buckets == 0) continue;
    const std::size_t found = first_match(text, from, to, at, buckets);
    if (found != kNowhere) return found;
  }
  return kNowhere;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) std::size_t LiteralFinder::find_avx2(std::string_view text,
                                                                     std::size_t from,
                                                                     std::size_t to) const {
  constexpr std::size_t width = 32;
  const __m256i half = _mm256_set1_epi8(15);
  __m256i low[kFingerprintBytes];
  __m256i high[kFingerprintBytes];
  for (std::size_t i = 0; i < kFingerprintBytes; ++i) {
    const auto load = [](const std::array<std::uint8_t, 16>& table) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data()));
    };
    low[i] = _mm256_broadcastsi128_si256(load(halves_[i].low));
    high[i] = _mm256_broadcastsi128_si256(load(halves_[i].high));
  }
  std::size_t at = from;
  for (; at + width + kFingerprintBytes - 1 <= to; at += width) {
    __m256i fits = _mm256_set1_epi8(-1);
    for (std::size_t i = 0; i < kFingerprintBytes; ++i) {
      const __m256i bytes =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + at + i));
      const __m256i by_low = _mm256_shuffle_epi8(low[i], _mm256_and_si256(bytes, half));
      const __m256i by_high =
          _mm256_shuffle_epi8(high[i], _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
      fits = _mm256_and_si256(fits, _mm256_and_si256(by_low, by_high));
    }
    const __m256i none = _mm256_cmpeq_epi8(fits, _mm256_setzero_si256());
    auto places = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
    if (places == 0) continue;
    alignas(32) std::array<std::uint8_t, width> buckets;
    _mm256_store_si256(reinterpret_cast<__m256i*>(buckets.data()), fits);
    for (; places != 0; places &= places - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(places));
      const std::size_t found = first_match(text, from, to, at + i, buckets[i]);
      if (found != kNowhere) return found;
    }
  }
  return find_bytewise(text, from, to, at);
}

#endif

}  // namespace knarr
