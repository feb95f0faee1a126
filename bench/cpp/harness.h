// A small harness: contenders take turns, so that a busy machine slows all of them, and each gives
// one JSON line on standard output.
//
// A line holds p50_ns and p99_ns of one call; ns_per_op (a call may do many operations); cpu_ns,
// the mean processor time of one call over all threads (on a crowded machine trust it more than
// p50_ns, for calls of more than a few microseconds); gb_per_s where bytes are read; in races
// `ratio`, the first contender's p50 by this one's (above 1 this one is faster); the settings, the
// commit and the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace knarr::bench {

struct Options {
  double seconds = 1.0;          // for each group of contenders
  std::size_t rows = 1'000'000;  // of the largest case
};

struct Contender {
  std::string name;
  std::function<void()> call;
  double ops = 1;    // operations in one call
  double bytes = 0;  // read by one call; 0: not reported
};

using Settings = std::vector<std::pair<std::string, std::string>>;  // name, JSON value

// Calls each contender in turn, once to warm up and then for options.seconds in all. `race` is for
// contenders that do the same work and reports ratios; `each` is for different steps.
void race(const std::string& bench, const Settings& settings, const Options& options,
          const std::vector<Contender>& contenders);
void each(const std::string& bench, const Settings& settings, const Options& options,
          const std::vector<Contender>& contenders);

// Keeps a result from being optimised away.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

std::string quoted(const std::string& text);  // as a JSON string

inline std::string number(std::size_t value) { return std::to_string(value); }

// A fixed stream of cheap random numbers.
using Random = std::minstd_rand;

// (n, dim) numbers in [-1, 1).
std::vector<float> random_vectors(std::size_t n, std::size_t dim, std::uint32_t seed);

// One function per room.
void bench_trie(const Options& options);
void bench_filter(const Options& options);
void bench_scan(const Options& options);
void bench_grep(const Options& options);
void bench_edges(const Options& options);
void bench_engine(const Options& options);

// Fixed steps for bench/guard.py (guard.cc).
void run_guard();

}  // namespace knarr::bench
