// UnicodeProgram: a pattern as instructions over characters, for the matcher of Unicode words.
//
// The instructions are those of Thompson's construction as Pike runs it: match a character and go
// on, go on in two ways of which the first is preferred, go on if the place is of a kind, or stop.
// A class is one instruction, whatever its size, so that `\w{2,40}` has some forty of them, where
// RE2, which reads bytes, would need 58,000.
//
// Threads: immutable but for the memory of answers, which is atomic.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grep/pattern/character_set.h"
#include "grep/pattern/syntax.h"

namespace re2 {
class RE2;
}

namespace knarr {

struct UnicodeInstruction {
  enum class Kind : std::uint8_t { kCharacter, kClass, kFork, kAssert, kMatch };
  Kind kind = Kind::kMatch;
  Assertion assertion = Assertion::kNone;
  std::uint32_t next = 0;
  std::uint32_t other = 0;  // of a fork: the second choice; of a class: its number
  char32_t character = 0;
};

class UnicodeProgram {
 public:
  // Throws kInvalidArgument for a program of more than `most` instructions.
  UnicodeProgram(const PatternNode& root, std::size_t most);
  ~UnicodeProgram();
  UnicodeProgram(const UnicodeProgram&) = delete;
  UnicodeProgram& operator=(const UnicodeProgram&) = delete;

  const std::vector<UnicodeInstruction>& code() const { return code_; }
  std::uint32_t start() const { return start_; }
  bool contains(std::uint32_t class_number, char32_t c) const;

  // Whether a match may begin with this byte of UTF-8; always when it may be empty.
  bool may_begin(char byte) const { return first_[static_cast<unsigned char>(byte)]; }
  bool may_be_empty() const { return may_be_empty_; }

 private:
  struct Class {
    ExactClass exact;
    std::unique_ptr<re2::RE2> rest;
    AsciiSet ascii;
  };

  std::uint32_t add(UnicodeInstruction instruction);
  std::uint32_t compile(const PatternNode& node, std::uint32_t next);
  std::uint32_t compile_character(char32_t c, bool folds_case, std::uint32_t next);
  std::uint32_t compile_repetition(const PatternNode& node, std::uint32_t next);
  std::uint32_t compile_loop(const PatternNode& part, bool may_skip, bool is_lazy,
                             std::uint32_t next);
  std::uint32_t fork(std::uint32_t taken, std::uint32_t skipped, bool is_lazy);
  std::uint32_t class_number(const ExactClass& exact);
  bool is_in(const Class& one, char32_t c) const;
  void find_first_bytes();

  // What is_in() answered, by a hash of class and character.
  static constexpr std::size_t kAnswers = 4096;

  const std::size_t most_;
  std::vector<UnicodeInstruction> code_;
  std::uint32_t start_ = 0;
  std::vector<Class> classes_;
  std::map<std::string, std::uint32_t> numbers_;  // of classes_, by what they contain
  std::array<bool, 256> first_{};
  bool may_be_empty_ = false;
  mutable std::array<std::atomic<std::uint64_t>, kAnswers> answers_{};
};

}  // namespace knarr
