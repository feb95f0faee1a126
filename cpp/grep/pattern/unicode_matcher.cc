#include "grep/pattern/unicode_matcher.h"

#include <vector>

#include "base/utf8.h"
#include "grep/pattern/unicode_classes.h"

namespace knarr {
namespace {

using Kind = UnicodeInstruction::Kind;

// One way in which the text up to here may be matched.
struct Thread {
  std::uint32_t at;  // the instruction that comes next
  std::size_t begin;
};

// Kept between calls: a call is made for each match.
struct Scratch {
  std::vector<Thread> arrived;  // behind the last character, by preference
  std::vector<Thread> ready;    // the same, in front of an instruction that reads or stops
  std::vector<std::uint32_t> open;
  std::vector<std::uint64_t> seen;  // by instruction: the place where it was last reached
  std::uint64_t place = 0;
};

class Simulation {
 public:
  Simulation(const UnicodeProgram& program, std::string_view text, std::size_t to, Scratch& scratch)
      : program_(program), code_(program.code()), text_(text), to_(to), s_(scratch) {
    s_.arrived.clear();
    if (s_.seen.size() < code_.size()) s_.seen.resize(code_.size());
  }

  bool run(std::size_t from, UnicodeMatch& match) {
    bool found = false;
    std::size_t at = from;
    if (at > 0) {
      std::size_t before = boundary_before(text_, at - 1);
      previous_ = next_character(text_, before);
    }
    for (;;) {
      if (s_.arrived.empty()) {
        if (found) return true;
        at = next_begin(at);
        if (at > to_) return false;
      }
      look_at(at);
      s_.ready.clear();
      ++s_.place;
      for (const Thread& thread : s_.arrived) go_on(thread);
      const bool may_begin = at < text_.size() ? program_.may_begin(text_[at]) : true;
      if (!found && may_begin) go_on({program_.start(), at});
      step(at, found, match);
      if (at >= to_) return found;
      previous_ = character_;
      at = next_;
    }
  }

 private:
  // The first place from `at` on where a match may begin; behind `to_` when there is none.
  std::size_t next_begin(std::size_t at) {
    if (program_.may_be_empty()) return at;
    const std::size_t from = at;
    while (at < to_ && !program_.may_begin(text_[at])) ++at;
    if (at >= to_) return to_ + 1;
    if (at > from) {
      std::size_t before = boundary_before(text_, at - 1);
      previous_ = next_character(text_, before);
    }
    return at;
  }

  // Reads the character at this place, and what the place is.
  void look_at(std::size_t at) {
    at_ = at;
    next_ = at;
    character_ = at < text_.size() ? next_character(text_, next_) : U'\n';
    is_edge_known_ = false;
  }

  bool holds(Assertion assertion) {
    switch (assertion) {
      case Assertion::kNone:
        return true;
      case Assertion::kTextBegin:
        return at_ == 0;
      case Assertion::kTextEnd:
        return at_ == text_.size();
      case Assertion::kLineBegin:
        return at_ == 0 || previous_ == U'\n';
      case Assertion::kLineEnd:
        return character_ == U'\n';
      case Assertion::kWordEdge:
        return is_word_edge();
      case Assertion::kNoWordEdge:
        return !is_word_edge();
    }
    return false;
  }

  bool is_word_edge() {
    if (!is_edge_known_) {
      is_edge_ = (at_ > 0 && is_word(previous_)) != (at_ < text_.size() && is_word(character_));
      is_edge_known_ = true;
    }
    return is_edge_;
  }

  // Follows a thread to the instructions that read a character or stop, in order of preference. One
  // that was reached at this place already was reached by a better thread.
  void go_on(Thread thread) {
    s_.open.assign(1, thread.at);
    while (!s_.open.empty()) {
      const std::uint32_t at = s_.open.back();
      s_.open.pop_back();
      if (s_.seen[at] == s_.place) continue;
      s_.seen[at] = s_.place;
      const UnicodeInstruction& one = code_[at];
      if (one.kind == Kind::kFork) {
        s_.open.push_back(one.other);
        s_.open.push_back(one.next);
      } else if (one.kind == Kind::kAssert) {
        if (holds(one.assertion)) s_.open.push_back(one.next);
      } else {
        s_.ready.push_back({at, thread.begin});
      }
    }
  }

  // Moves the threads over the character at this place. One that matches ends those behind it.
  void step(std::size_t at, bool& found, UnicodeMatch& match) {
    s_.arrived.clear();
    for (const Thread& thread : s_.ready) {
      const UnicodeInstruction& one = code_[thread.at];
      if (one.kind == Kind::kMatch) {
        match = {thread.begin, at};
        found = true;
        return;
      }
      if (at >= to_) continue;
      const bool reads = one.kind == Kind::kCharacter ? one.character == character_
                                                      : program_.contains(one.other, character_);
      if (reads) s_.arrived.push_back({one.next, thread.begin});
    }
  }

  const UnicodeProgram& program_;
  const std::vector<UnicodeInstruction>& code_;
  const std::string_view text_;
  const std::size_t to_;
  Scratch& s_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  char32_t previous_ = U'\n';
  char32_t character_ = U'\n';
  bool is_edge_ = false;
  bool is_edge_known_ = false;
};

}  // namespace

bool find_unicode(const UnicodeProgram& program, std::string_view text, std::size_t from,
                  std::size_t to, UnicodeMatch& match) {
  thread_local Scratch scratch;
  return Simulation(program, text, to, scratch).run(from, match);
}

}  // namespace knarr
