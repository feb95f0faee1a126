// core_bench [trie] [filter] [scan] [grep] [edges] [engine] [--seconds S] [--rows N]
// core_bench guard
//
// Without names all run. One JSON line per result; see harness.h for how to read it. "guard" runs
// each step a fixed number of times, for bench/guard.py to count its instructions.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "harness.h"

namespace {

struct Entry {
  const char* name;
  void (*run)(const knarr::bench::Options&);
};

constexpr Entry kBenches[] = {
    {"trie", knarr::bench::bench_trie},   {"filter", knarr::bench::bench_filter},
    {"scan", knarr::bench::bench_scan},   {"grep", knarr::bench::bench_grep},
    {"edges", knarr::bench::bench_edges}, {"engine", knarr::bench::bench_engine},
};

int usage() {
  std::fprintf(
      stderr,
      "usage: core_bench [trie] [filter] [scan] [grep] [edges] [engine] [--seconds S] [--rows N]\n"
      "       core_bench guard\n"
      "  --seconds S  time for each group of contenders (default 1)\n"
      "  --rows N     rows of the largest case (default 1000000, 100 to 100000000)\n");
  return 2;
}

const Entry* find(const std::string& name) {
  for (const Entry& entry : kBenches) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  knarr::bench::Options options;
  std::vector<const Entry*> chosen;
  const bool guard = argc == 2 && std::string("guard") == argv[1];
  for (int i = guard ? 2 : 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seconds" && i + 1 < argc) {
      options.seconds = std::strtod(argv[++i], nullptr);
    } else if (word == "--rows" && i + 1 < argc) {
      options.rows = std::strtoul(argv[++i], nullptr, 10);
    } else if (const Entry* entry = find(word)) {
      chosen.push_back(entry);
    } else {
      return usage();
    }
  }
  if (options.rows < 100 || options.rows > 100'000'000 || !(options.seconds > 0)) return usage();
  try {
    if (guard) knarr::bench::run_guard();
    if (guard) return 0;
    if (chosen.empty()) {
      for (const Entry& entry : kBenches) entry.run(options);
    }
    for (const Entry* entry : chosen) entry->run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "core_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
