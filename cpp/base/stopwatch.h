// Stopwatch: times the steps of a call that asked to be explained. It reads no clock otherwise.
#pragma once

#include <chrono>

namespace knarr {

class Stopwatch {
 public:
  explicit Stopwatch(bool is_on) : is_on_(is_on) {
    if (is_on_) last_ = Clock::now();
  }

  // Microseconds since the last lap, or the start; zero when it is off.
  double lap_us() {
    if (!is_on_) return 0;
    const Clock::time_point now = Clock::now();
    const double us = std::chrono::duration<double, std::micro>(now - last_).count();
    last_ = now;
    return us;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_on_;
  Clock::time_point last_;
};

}  // namespace knarr
