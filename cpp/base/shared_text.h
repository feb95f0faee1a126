// SharedText: a reference-counted string whose count and bytes are one allocation.
//
// Immutable: any thread may read it.
#pragma once

#include <algorithm>
#include <new>
#include <string_view>

#include "base/ref.h"

namespace knarr {

class SharedText : public RefCounted {
 public:
  static Ref<const SharedText> make(std::string_view text) {
    auto* memory = static_cast<char*>(::operator new(sizeof(SharedText) + text.size()));
    char* bytes = memory + sizeof(SharedText);
    std::ranges::copy(text, bytes);
    return Ref<const SharedText>(new (memory) SharedText({bytes, text.size()}));
  }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;
  static void operator delete(void* memory) { ::operator delete(memory); }

  std::size_t size_bytes() const { return sizeof(SharedText) + text.size(); }

  const std::string_view text;

 private:
  explicit SharedText(std::string_view bytes) : text(bytes) {}
};

}  // namespace knarr
