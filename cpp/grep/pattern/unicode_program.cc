// A node is compiled when what follows it is known, so the code is built from the end to the start.
#include "grep/pattern/unicode_program.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "grep/pattern/fold.h"

namespace knarr {
namespace {

using Kind = UnicodeInstruction::Kind;
using Type = PatternNode::Type;

// Each class with characters of its own is a small RE2 pattern.
constexpr std::size_t kMostClasses = 1000;

bool can_be_empty(const PatternNode& node) {
  switch (node.type) {
    case Type::kEmpty:
      return true;
    case Type::kText:
      return node.text.empty();
    case Type::kSet:
      return false;
    case Type::kSequence:
      return std::ranges::all_of(node.parts, can_be_empty);
    case Type::kAlternation:
      return std::ranges::any_of(node.parts, can_be_empty);
    case Type::kRepetition:
      return node.least == 0 || can_be_empty(node.parts.front());
  }
  return true;
}

// Tells classes apart.
std::string key_of(const ExactClass& exact) {
  std::string key = std::string(exact.negated ? "^" : "") + (exact.folds_case ? "i" : "");
  for (const auto& [kind, negated] : exact.named) {
    key += (negated ? ":^" : ":") + std::string(kind->name());
  }
  return key + "\n" + exact.rest;
}

[[noreturn]] void too_costly(const std::string& what, std::size_t most) {
  fail(ErrorCode::kInvalidArgument, "pattern too costly: " + what + ", expected at most " +
                                        std::to_string(most) + "; use smaller repetitions");
}

}  // namespace

UnicodeProgram::UnicodeProgram(const PatternNode& root, std::size_t most) : most_(most) {
  const std::uint32_t end = add({});
  start_ = compile(root, end);
  find_first_bytes();
}

UnicodeProgram::~UnicodeProgram() = default;

std::uint32_t UnicodeProgram::add(UnicodeInstruction instruction) {
  if (code_.size() >= most_) too_costly("its program has too many steps", most_);
  code_.push_back(instruction);
  return static_cast<std::uint32_t>(code_.size() - 1);
}

std::uint32_t UnicodeProgram::compile(const PatternNode& node, std::uint32_t next) {
  switch (node.type) {
    case Type::kEmpty:
      if (node.assertion == Assertion::kNone) return next;
      return add({Kind::kAssert, node.assertion, next, 0, 0});
    case Type::kText:
      for (std::size_t i = node.text.size(); i > 0; --i) {
        next = compile_character(node.text[i - 1], node.folds_case, next);
      }
      return next;
    case Type::kSet:
      return add({Kind::kClass, Assertion::kNone, next, class_number(node.exact), 0});
    case Type::kSequence:
      for (std::size_t i = node.parts.size(); i > 0; --i) next = compile(node.parts[i - 1], next);
      return next;
    case Type::kAlternation: {
      std::uint32_t choice = compile(node.parts.back(), next);
      for (std::size_t i = node.parts.size() - 1; i > 0; --i) {
        choice = fork(compile(node.parts[i - 1], next), choice, false);
      }
      return choice;
    }
    case Type::kRepetition:
      return compile_repetition(node, next);
  }
  return next;
}

std::uint32_t UnicodeProgram::compile_character(char32_t c, bool folds_case, std::uint32_t next) {
  const auto forms_known = c < 0x80 ? std::nullopt : case_forms(c);
  const bool has_case = folds_case && !(forms_known && forms_known->size() == 1);
  if (!has_case) return add({Kind::kCharacter, Assertion::kNone, next, 0, c});
  std::string text;
  append_utf8(text, c);
  ExactClass forms;
  forms.folds_case = true;
  forms.rest = RE2::QuoteMeta(text);
  return add({Kind::kClass, Assertion::kNone, next, class_number(forms), 0});
}

// x{2,4} is xx(x(x)?)?, and x{2,} is xx+.
std::uint32_t UnicodeProgram::compile_repetition(const PatternNode& node, std::uint32_t next) {
  const PatternNode& part = node.parts.front();
  std::uint32_t copies = node.least;
  if (node.most == kUnbounded) {
    next = compile_loop(part, node.least == 0, node.is_lazy, next);
    copies -= std::min(copies, 1u);
  } else {
    std::uint32_t inner = next;
    for (std::uint32_t i = node.least; i < node.most; ++i) {
      inner = fork(compile(part, inner), next, node.is_lazy);
    }
    next = inner;
  }
  for (; copies > 0; --copies) next = compile(part, next);
  return next;
}

// A part that may be empty is repeated as (x+)?, which keeps the order of its choices (as in RE2).
std::uint32_t UnicodeProgram::compile_loop(const PatternNode& part, bool may_skip, bool is_lazy,
                                           std::uint32_t next) {
  const std::uint32_t again = fork(next, next, is_lazy);
  const std::uint32_t body = compile(part, again);
  (is_lazy ? code_[again].other : code_[again].next) = body;
  if (!may_skip) return body;
  return can_be_empty(part) ? fork(body, next, is_lazy) : again;
}

std::uint32_t UnicodeProgram::fork(std::uint32_t taken, std::uint32_t skipped, bool is_lazy) {
  if (is_lazy) std::swap(taken, skipped);
  return add({Kind::kFork, Assertion::kNone, taken, skipped, 0});
}

std::uint32_t UnicodeProgram::class_number(const ExactClass& exact) {
  const auto [known, is_new] =
      numbers_.try_emplace(key_of(exact), static_cast<std::uint32_t>(classes_.size()));
  if (!is_new) return known->second;
  if (classes_.size() >= kMostClasses) too_costly("it has too many classes", kMostClasses);
  Class one{exact, nullptr, {}};
  if (!exact.rest.empty()) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(!exact.folds_case);
    one.rest = std::make_unique<RE2>(exact.rest, options);
    if (!one.rest->ok()) {
      fail(ErrorCode::kInvalidArgument, "bad pattern: the class " + exact.rest + " is unknown");
    }
  }
  for (char32_t c = 0; c < 0x80; ++c) one.ascii[c] = is_in(one, c);
  classes_.push_back(std::move(one));
  return known->second;
}

bool UnicodeProgram::is_in(const Class& one, char32_t c) const {
  bool found = false;
  for (const auto& [kind, negated] : one.exact.named) {
    found = found || kind->contains(c) != negated;
  }
  if (!found && one.rest) {
    std::string text;
    append_utf8(text, c);
    found = RE2::FullMatch(text, *one.rest);
  }
  return found != one.exact.negated;
}

bool UnicodeProgram::contains(std::uint32_t class_number, char32_t c) const {
  const Class& one = classes_[class_number];
  if (c < 0x80) return one.ascii[c];
  // The answer is the lowest bit; 0 is no answer.
  const std::uint64_t question = ((std::uint64_t{class_number} + 1) << 32) | (c << 1);
  auto& slot = answers_[(c * 31 + class_number) % kAnswers];
  const std::uint64_t answer = slot.load(std::memory_order_relaxed);
  if ((answer | 1) == (question | 1)) return (answer & 1) != 0;
  const bool found = is_in(one, c);
  slot.store(question | (found ? 1 : 0), std::memory_order_relaxed);
  return found;
}

// The bytes that any character can begin with which is matched before all others.
void UnicodeProgram::find_first_bytes() {
  std::vector<bool> seen(code_.size());
  std::vector<std::uint32_t> open{start_};
  const auto beyond_ascii = [&] { std::fill(first_.begin() + 0xC2, first_.begin() + 0xF5, true); };
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const UnicodeInstruction& one = code_[at];
    if (one.kind == Kind::kMatch) {
      may_be_empty_ = true;
    } else if (one.kind == Kind::kCharacter) {
      std::string text;
      append_utf8(text, one.character);
      first_[static_cast<unsigned char>(text.front())] = true;
    } else if (one.kind == Kind::kClass) {
      for (char32_t c = 0; c < 0x80; ++c) first_[c] = first_[c] || contains(one.other, c);
      beyond_ascii();
    } else {
      open.push_back(one.next);
      if (one.kind == Kind::kFork) open.push_back(one.other);
    }
  }
  if (may_be_empty_) first_.fill(true);
}

}  // namespace knarr
