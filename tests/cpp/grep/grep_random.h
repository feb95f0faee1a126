// For tests of grep's index: texts of words that fold, repeat and overlap, and opaque patterns.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace knarr {

inline const std::vector<std::string> kWords = {
    "late",    "fee",  "Penalty", "penalty",     "LATE",   "naïve",  "NAÏVE",   "école",   "École",
    "ſtop",    "stop", "STOP",    "\u212Aelvin", "kelvin", "日本語", "договор", "ДОГОВОР", "straße",
    "section", "4.2",  "100%",    "aab",         "abab",   "x",      "(i)"};

inline std::string word(std::mt19937& random) { return kWords[random() % kWords.size()]; }

inline std::string random_text(std::mt19937& random) {
  static const char* const gaps[] = {" ", " ", " ", "", "\n", "\n", "\r\n", "\r", " \n ", "-"};
  std::string text;
  const unsigned kinds = random() % 3 == 0 ? 6 : 10;
  for (unsigned n = random() % 60; n > 0; --n) text += word(random) + gaps[random() % kinds];
  return text;
}

// An equivalent pattern that tells nothing of its matches, so that everything is matched: its
// second choice matches nothing, which is not known before it is tried.
inline std::string opaque(const std::string& pattern) {
  return "(?:" + pattern + R"()|[^\x00-\x{10FFFF}](?s:.)+)";
}

}  // namespace knarr
