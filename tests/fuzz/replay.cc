// Runs a fuzz target on given files, or on all files of given folders: for compilers without
// libFuzzer, and to see a finding again. With -max_total_time=SECONDS, as libFuzzer has it, changed
// forms of the files follow for that long. Nothing guides the changes, so this finds shallow faults
// only; they come from one seed. The input of a call that aborts is in the file `crash`.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> inputs(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {contents(path)};
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) out.push_back(contents(entry.path()));
  }
  return out;
}

// One to eight times: a byte changed, a piece taken out, repeated, or brought from another input.
std::string changed(std::string bytes, const std::vector<std::string>& seeds,
                    std::mt19937& random) {
  for (unsigned n = 1 + random() % 8; n > 0; --n) {
    const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
    const std::size_t length = 1 + random() % 16;
    switch (random() % 5) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(random());
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default: {
        const std::string& other = seeds[random() % seeds.size()];
        const std::size_t from = other.empty() ? 0 : random() % other.size();
        bytes.insert(at, other.substr(from, length));
      }
    }
  }
  return bytes;
}

void keep(const std::string& bytes) {
  std::ofstream("crash", std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::size_t run_changed(const std::vector<std::string>& seeds, long seconds) {
  static std::string now;
  std::mt19937 random(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::size_t count = 0;
  for (; std::chrono::steady_clock::now() < end; ++count) {
    now = changed(seeds[random() % seeds.size()], seeds, random);
    keep(now);
    run(now);
  }
  std::filesystem::remove("crash");
  return count;
}

}  // namespace

int main(int count, char** arguments) {
  constexpr std::string_view option = "-max_total_time=";
  std::vector<std::string> seeds;
  long seconds = 0;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with(option)) {
      seconds = std::strtol(arguments[i] + option.size(), nullptr, 10);
      continue;
    }
    for (std::string& bytes : inputs(argument)) seeds.push_back(std::move(bytes));
  }
  for (const std::string& bytes : seeds) run(bytes);
  if (seeds.empty()) return 1;
  const std::size_t more = seconds > 0 ? run_changed(seeds, seconds) : 0;
  std::printf("%zu inputs ran\n", seeds.size() + more);
  return 0;
}
