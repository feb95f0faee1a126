// Name: the decoded name of a node. Copies share its bytes.
//
// It owns its bytes, or views bytes whose owner outlives it: names in a mapped file are not copied.
// Immutable; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/ref.h"
#include "base/shared_text.h"

namespace knarr {

class Name {
 public:
  Name() = default;  // empty
  static Name copy(std::string_view text) {
    Name name;
    name.own_ = SharedText::make(text);
    name.text_ = name.own_->text;
    return name;
  }
  static Name in_place(std::string_view text) {
    Name name;
    name.text_ = text;
    return name;
  }

  std::string_view text() const { return text_; }
  // Memory of the bytes.
  std::size_t size_bytes() const { return own_ ? own_->size_bytes() : text_.size(); }

 private:
  Ref<const SharedText> own_;
  std::string_view text_;
};

}  // namespace knarr
