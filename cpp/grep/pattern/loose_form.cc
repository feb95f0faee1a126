#include "grep/pattern/loose_form.h"

#include <re2/re2.h>

#include <cstdio>

#include "grep/pattern/fold.h"

namespace knarr {
namespace {

using Type = PatternNode::Type;

std::string in_group(const std::string& inside, bool folds_case = false) {
  return (folds_case ? "(?i:" : "(?:") + inside + ")";
}

std::string form_of(Assertion assertion) {
  switch (assertion) {
    case Assertion::kLineBegin:
      return "^";
    case Assertion::kLineEnd:
      return "$";
    case Assertion::kTextBegin:
      return "\\A";
    case Assertion::kTextEnd:
      return "\\z";
    default:
      return "(?:)";
  }
}

std::string form_of(const PatternNode& node, const ExactClass& exact) {
  // A property by itself is no class in brackets.
  if (exact.named.empty() && !exact.rest.empty()) {
    if (!exact.negated) return in_group(exact.rest, exact.folds_case);
    if (exact.rest.starts_with('[')) {
      return in_group("[^" + exact.rest.substr(1), exact.folds_case);
    }
  }
  const AsciiSet ascii = exact.folds_case ? both_cases(node.set.ascii) : node.set.ascii;
  std::string members;
  for (std::size_t c = 0; c < ascii.size(); ++c) {
    char text[8];
    std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned>(c));
    if (ascii[c]) members += text;
  }
  return "[" + members + "\\x{80}-\\x{10ffff}]";
}

std::string times_of(const PatternNode& node) {
  std::string times = "{" + std::to_string(node.least);
  if (node.most == kUnbounded) {
    times = node.least == 0 ? "*" : node.least == 1 ? "+" : times + ",}";
  } else {
    times += "," + std::to_string(node.most) + "}";
  }
  return times + (node.is_lazy ? "?" : "");
}

}  // namespace

std::string loose_form(const PatternNode& node) {
  std::string form;
  switch (node.type) {
    case Type::kEmpty:
      return form_of(node.assertion);
    case Type::kText:
      for (const char32_t c : node.text) append_utf8(form, c);
      return in_group(RE2::QuoteMeta(form), node.folds_case);
    case Type::kSet:
      return form_of(node, node.exact);
    case Type::kSequence:
      for (const PatternNode& part : node.parts) form += loose_form(part);
      return in_group(form);
    case Type::kAlternation:
      for (std::size_t i = 0; i < node.parts.size(); ++i) {
        form += (i == 0 ? "" : "|") + loose_form(node.parts[i]);
      }
      return in_group(form);
    case Type::kRepetition:
      return in_group(loose_form(node.parts.front())) + times_of(node);
  }
  return form;
}

}  // namespace knarr
