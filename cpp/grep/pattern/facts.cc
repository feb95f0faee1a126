#include "grep/pattern/facts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "grep/pattern/fold.h"
#include "grep/pattern/syntax.h"

namespace knarr {
namespace {

constexpr std::uint32_t kMaxCharacterBytes = 4;

using Type = PatternNode::Type;

// Computes the MatchInfo of a tree, bottom-up.
class MatchAnalysis {
 public:
  MatchInfo of(const PatternNode& node) {
    if (node.type == Type::kAlternation) {
      std::vector<MatchInfo> parts;
      for (const PatternNode& part : node.parts) parts.push_back(of(part));
      return any_of(parts);
    }
    SequenceInfo sequence;
    add(node, sequence);
    return sequence.finish();
  }

  // Whether an s or k that was listed may stand for a letter beyond ASCII.
  bool is_loose() const { return is_loose_; }

 private:
  void add(const PatternNode& node, SequenceInfo& sequence) {
    switch (node.type) {
      case Type::kEmpty:
        sequence.add(empty_match());
        break;
      case Type::kText:
        for (const char32_t c : node.text) {
          CharacterSet set;
          set.add(c, c);
          sequence.add(one_of(set, node.folds_case));
        }
        break;
      case Type::kSet:
        sequence.add(one_of(node.set, node.folds_case));
        break;
      case Type::kSequence:
        // A sequence in a sequence is a group: it is joined as a whole.
        for (const PatternNode& part : node.parts) {
          part.type == Type::kSequence ? sequence.add(of(part)) : add(part, sequence);
        }
        break;
      case Type::kAlternation:
        sequence.add(of(node));
        break;
      case Type::kRepetition:
        sequence.add_repeated(of(node.parts.front()), node.least, node.most);
        break;
    }
  }

  MatchInfo one_of(const CharacterSet& set, bool folds_case) {
    MatchInfo info;
    const bool has_others = set.has_more || !set.others.empty();
    info.longest_bytes = folds_case || has_others ? kMaxCharacterBytes : 1;
    info.ascii = set.ascii;
    if (folds_case) {
      info.ascii = both_cases(info.ascii);
      // The long s and the Kelvin sign are forms of ASCII letters.
      if (has_others) info.ascii |= set_of("sSkK");
    }
    if (set.has_more || set.ascii.count() > kMaxEnumerated) return info;
    if (auto texts = enumerate(set, folds_case)) {
      info.is_exact = true;
      info.texts = std::move(*texts);
    }
    return info;
  }

  // The characters of a set as folded texts; nothing when the forms of one are not known.
  std::optional<std::vector<std::string>> enumerate(const CharacterSet& set, bool folds_case) {
    is_loose_ = is_loose_ || (folds_case && (set.ascii & set_of("sSkK")).any());
    std::vector<std::string> texts;
    for (std::size_t c = 0; c < set.ascii.size(); ++c) {
      if (set.ascii[c]) texts.push_back(folded(std::string(1, static_cast<char>(c))));
    }
    for (const char32_t c : set.others) {
      auto forms = folds_case ? case_forms(c) : std::vector<char32_t>{c};
      if (!forms) return std::nullopt;
      for (const char32_t form : *forms) {
        std::string text;
        append_utf8(text, form);
        is_loose_ = is_loose_ || form == 0x17F || form == 0x212A;
        texts.push_back(folded(text));
      }
    }
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
  }

  bool is_loose_ = false;
};

// Collects the longest text that every match contains with its case. Only what is neither an
// alternative nor optional is certain; what matches the empty text does not part the text around
// it.
class RequiredText {
 public:
  static std::string of(const PatternNode& root) {
    RequiredText required;
    required.visit(root);
    required.end_text();
    return std::move(required.longest_);
  }

 private:
  void visit(const PatternNode& node) {
    switch (node.type) {
      case Type::kEmpty:
        break;
      case Type::kText:
        if (node.folds_case) return end_text();
        for (const char32_t c : node.text) append_utf8(text_, c);
        break;
      case Type::kSequence:
        for (const PatternNode& part : node.parts) visit(part);
        break;
      case Type::kRepetition:  // the first copy follows the text before it, further ones may follow
        if (node.least > 0) visit(node.parts.front());
        end_text();
        break;
      case Type::kSet:
      case Type::kAlternation:
        end_text();
        break;
    }
  }

  void end_text() {
    if (text_.size() > longest_.size()) longest_ = text_;
    text_.clear();
  }

  std::string text_;
  std::string longest_;
};

unsigned foreign_of(const PatternNode& node) {
  const bool asks_edge =
      node.assertion == Assertion::kWordEdge || node.assertion == Assertion::kNoWordEdge;
  unsigned kinds = asks_edge ? kForeignWords : kNoForeign;
  for (const auto& named : node.exact.named) kinds |= named.kind->differs_on();
  for (const PatternNode& part : node.parts) kinds |= foreign_of(part);
  return kinds;
}

}  // namespace

PatternFacts pattern_facts(const std::optional<PatternNode>& root) {
  if (!root) return {};
  MatchAnalysis analysis;
  MatchInfo info = analysis.of(*root);
  PatternFacts facts;
  facts.ascii = info.ascii;
  facts.longest_bytes = info.longest_bytes;
  facts.is_loose = analysis.is_loose();
  facts.clauses = std::move(info).own_clauses();
  facts.foreign = foreign_of(*root);
  facts.required = RequiredText::of(*root);
  return facts;
}

PatternFacts pattern_facts(std::string_view pattern, bool literal, bool ignore_case) {
  return pattern_facts(literal ? text_node(pattern, ignore_case)
                               : parse_pattern(pattern, ignore_case));
}

}  // namespace knarr
