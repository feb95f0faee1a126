#include "harness.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "base/cpu.h"

namespace knarr::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Sample {
  double wall;  // seconds
  double cpu;   // seconds of all threads
};

Sample measure(const std::function<void()>& call) {
  const std::clock_t cpu = std::clock();
  const auto begin = Clock::now();
  call();
  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  return {wall, static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

double quantile(std::vector<double> samples, double q) {
  const auto at = std::lround(q * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[static_cast<std::size_t>(at)];
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string commit() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen("git rev-parse --short=12 HEAD 2>/dev/null", "r"), pclose);
  std::string text;
  if (pipe) {
    for (int c = std::fgetc(pipe.get()); c > ' '; c = std::fgetc(pipe.get())) text += char(c);
  }
  return text.empty() ? "unknown" : text;
}

const std::string& environment() {
  static const std::string text = [] {
    std::ostringstream out;
    out << "\"commit\": " << quoted(commit()) << ", \"cpu\": " << quoted(cpu_model())
        << ", \"cpu_level\": " << quoted(cpu_level_name(cpu_level()))
        << ", \"cores\": " << std::thread::hardware_concurrency()
        << ", \"compiler\": " << quoted(__VERSION__);
    return out.str();
  }();
  return text;
}

void run(const std::string& bench, const Settings& settings, const Options& options,
         const std::vector<Contender>& contenders, bool ratios) {
  constexpr std::size_t kLeastCalls = 5;
  constexpr std::size_t kMostCalls = 200'000;
  std::vector<std::vector<double>> samples(contenders.size());
  std::vector<double> cpu(contenders.size());
  for (const Contender& contender : contenders) contender.call();
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < kMostCalls; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const Sample sample = measure(contenders[i].call);
      samples[i].push_back(sample.wall);
      cpu[i] += sample.cpu;
    }
    const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (round + 1 >= kLeastCalls && passed > options.seconds) break;
  }
  const double first = quantile(samples[0], 0.5);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const double p50 = quantile(samples[i], 0.5);
    std::printf("{\"bench\": %s, \"case\": %s, \"p50_ns\": %.0f, \"p99_ns\": %.0f, ",
                quoted("cpp." + bench).c_str(), quoted(contenders[i].name).c_str(), p50 * 1e9,
                quantile(samples[i], 0.99) * 1e9);
    std::printf("\"ns_per_op\": %.2f, \"cpu_ns\": %.0f, ", p50 * 1e9 / contenders[i].ops,
                cpu[i] * 1e9 / static_cast<double>(samples[i].size()));
    if (contenders[i].bytes > 0) {
      std::printf("\"gb_per_s\": %.2f, ", contenders[i].bytes / p50 * 1e-9);
    }
    if (ratios) std::printf("\"ratio\": %.3f, ", first / p50);
    std::printf("\"calls\": %zu, \"settings\": {", samples[i].size());
    for (std::size_t s = 0; s < settings.size(); ++s) {
      std::printf("%s%s: %s", s > 0 ? ", " : "", quoted(settings[s].first).c_str(),
                  settings[s].second.c_str());
    }
    std::printf("}, %s}\n", environment().c_str());
  }
  std::fflush(stdout);
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

std::vector<float> random_vectors(std::size_t n, std::size_t dim, std::uint32_t seed) {
  std::vector<float> values(n * dim);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (float& x : values) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x = static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31f;
  }
  return values;
}

void race(const std::string& bench, const Settings& settings, const Options& options,
          const std::vector<Contender>& contenders) {
  run(bench, settings, options, contenders, true);
}

void each(const std::string& bench, const Settings& settings, const Options& options,
          const std::vector<Contender>& contenders) {
  run(bench, settings, options, contenders, false);
}

}  // namespace knarr::bench
