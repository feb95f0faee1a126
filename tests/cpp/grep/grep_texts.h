// For tests of grep: texts in blocks, and views of results.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "grep/grep.h"

namespace knarr {

inline std::uint32_t size_of(std::string_view text) {
  return static_cast<std::uint32_t>(text.size());
}

// Blocks with one slice each, rows from 0.
class Texts {
 public:
  explicit Texts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      store_.append(text, std::vector<Slice>{{rows_, 0, size_of(text)}});
      ++rows_;
    }
  }
  GrepResult grep(std::string_view pattern, const GrepOptions& options = {}) {
    return knarr::grep(store_.view(), RowSet::range(0, rows_), pattern, options);
  }
  TextView view() { return store_.view(); }

 private:
  TextStore store_;
  Row rows_ = 0;
};

// "line:column begin-end" of each match.
inline std::vector<std::string> places(const GrepResult& result) {
  std::vector<std::string> out;
  for (const GrepMatch& match : result.matches) {
    out.push_back(std::to_string(match.line) + ":" + std::to_string(match.column) + " " +
                  std::to_string(match.begin_byte) + "-" + std::to_string(match.end_byte));
  }
  return out;
}

inline std::vector<std::uint32_t> lines(const GrepResult& result) {
  std::vector<std::uint32_t> out;
  for (const GrepMatch& match : result.matches) out.push_back(match.line);
  return out;
}

struct Refusal {
  ErrorCode code = ErrorCode::kIo;
  std::string message;
};

inline Refusal refusal_of(std::string_view pattern, const GrepOptions& options = {}) {
  try {
    Texts({"text"}).grep(pattern, options);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "not refused: " << pattern.substr(0, 80);
  return {};
}

inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline double seconds(const std::function<void()>& call) {
  const auto begun = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

using Lines = std::vector<std::uint32_t>;
using Places = std::vector<std::string>;

}  // namespace knarr
