#include "uri/uri.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/utf8.h"

namespace knarr {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool must_encode(unsigned char c) {
  return c <= 0x20 || c == 0x7f || c == '%' || c == '/' || c == '?' || c == '#' || c == '\\';
}

[[noreturn]] void refuse(std::string_view uri, const std::string& why) {
  fail(ErrorCode::kInvalidArgument, "URI " + quoted(uri) + ": " + why);
}

// Counts from 1.
std::string character_number(std::string_view text, std::size_t byte) {
  return std::to_string(1 + std::ranges::count_if(text.substr(0, byte), begins_character));
}

// `name` says which component it is.
std::string decode(std::string_view uri, std::string_view raw, const std::string& name) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '%') {
      out += raw[i];
      continue;
    }
    const int high = i + 1 < raw.size() ? hex_value(raw[i + 1]) : -1;
    const int low = i + 2 < raw.size() ? hex_value(raw[i + 2]) : -1;
    if (high < 0 || low < 0) {
      refuse(uri, name + " has a \"%\" at character " + character_number(raw, i) +
                      " without two hexadecimal digits behind it; a plain \"%\" is written %25");
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// Another scheme than ours, or none.
[[noreturn]] void refuse_scheme(std::string_view uri) {
  std::string why = "expected a URI that starts with viking://";
  const auto is_ours = [](std::string_view text) {
    return std::ranges::equal(text.substr(0, kScheme.size()), kScheme,
                              [](char a, char b) { return a == b || (a | 0x20) == b; });
  };
  if (is_ours(uri)) {
    why += "; the scheme is written in lower case";
  } else if (is_ours(uri.substr(std::min(uri.find_first_not_of(" \t\r\n"), uri.size())))) {
    why += "; remove the blanks before it";
  }
  refuse(uri, why);
}

bool is_control(std::string_view text, std::size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x20 || byte == 0x7f) return true;
  // U+0080 to U+009F: the lead byte 0xC2 and a continuation below 0xA0.
  return byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
}

// True for printable ASCII that is not `.` or `..` up to a slash. Most components are, and eight
// bytes are checked at once.
bool is_plain(std::string_view component) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101u, kHigh = 0x80 * kOnes;
  if (component.empty()) return false;
  if (component[0] == '.' && (component.size() < 2 || component[1] == '.' || component[1] == '/' ||
                              component[1] == '\\')) {
    return false;
  }
  for (std::size_t i = 0; i < component.size(); i += 8) {
    std::uint64_t word = 'a' * kOnes;
    std::memcpy(&word, component.data() + i, std::min<std::size_t>(8, component.size() - i));
    const std::uint64_t below_space = (word - 0x20 * kOnes) & ~word;
    if (((word | (word + kOnes) | below_space) & kHigh) != 0) return false;  // 0x7f by the sum
  }
  return true;
}

}  // namespace

std::string component_fault(std::string_view component) {
  if (is_plain(component)) return {};
  if (component.empty()) return "is empty; names are parted by one \"/\"";
  char number[16];
  const std::size_t bad = first_invalid_utf8(component);
  if (bad != component.size()) {
    std::snprintf(number, sizeof number, "0x%02X", static_cast<unsigned char>(component[bad]));
    return "is not UTF-8: byte " + std::to_string(bad + 1) + " is " + number;
  }
  const std::string_view head = component.substr(0, component.find_first_of("/\\"));
  if (head == "." || head == "..") {
    return "is the step " + quoted(head) + ", which is no name; write the path that is meant";
  }
  for (std::size_t i = 0; i < component.size(); ++i) {
    if (!is_control(component, i)) continue;
    const auto lead = static_cast<unsigned char>(component[i]);
    const unsigned c = lead < 0x80 ? lead : static_cast<unsigned char>(component[i + 1]);
    std::snprintf(number, sizeof number, "U+%04X", c);
    return std::string("holds the control character ") + number + " at character " +
           character_number(component, i) + "; remove it";
  }
  return {};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 200;
  const std::size_t end = boundary_before(text, std::min(text.size(), kShown));
  const std::string_view shown = text.substr(0, end);
  const bool is_text = is_utf8(shown);
  std::string out = "\"";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool is_plain = static_cast<unsigned char>(shown[i]) < 0x80;
    if (!is_control(shown, i)) {
      out += is_plain || is_text ? shown[i] : '?';
    } else {
      out += '?';
      i += is_plain ? 0 : 1;  // a control character of two bytes
    }
  }
  return out + (end < text.size() ? "…\"" : "\"");
}

Path parse_uri(std::string_view uri) {
  if (uri.size() > kMaxUriBytes) {
    refuse(uri,
           std::to_string(uri.size()) + " bytes, expected at most " + std::to_string(kMaxUriBytes));
  }
  if (!uri.starts_with(kScheme)) refuse_scheme(uri);
  std::string_view rest = uri.substr(kScheme.size());
  if (rest.size() > 1 && rest.back() == '/') rest.remove_suffix(1);
  Path path;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view raw = rest.substr(0, slash);
    const bool is_plain_name = is_plain(raw) && raw.find('%') == std::string_view::npos;
    if (is_plain_name) {
      path.emplace_back(raw);
    } else {
      std::string name = "component " + std::to_string(path.size() + 1);
      path.push_back(decode(uri, raw, name));
      const std::string fault = component_fault(path.back());
      if (!fault.empty()) refuse(uri, name.append(" ").append(fault));
    }
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
    if (rest.empty()) {
      refuse(uri, "component " + std::to_string(path.size() + 1) + " " + component_fault({}));
    }
  }
  return path;
}

void append_encoded(std::string& out, std::string_view component) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto is_plain = [](char c) { return !must_encode(static_cast<unsigned char>(c)); };
  if (std::ranges::all_of(component, is_plain)) {
    out += component;
    return;
  }
  for (const char c : component) {
    const auto byte = static_cast<unsigned char>(c);
    if (must_encode(byte)) {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
}

// An escape begins with `%`, which is always escaped itself, and two escapes sort as their bytes
// do.
bool encoded_before(Component a, Component b) {
  const auto [x, y] = std::ranges::mismatch(a.name, b.name);
  const auto first = [](const char* at, const char* end, bool is_directory) -> int {
    if (at == end) return is_directory ? '/' : -1;
    const auto byte = static_cast<unsigned char>(*at);
    return must_encode(byte) ? '%' : byte;
  };
  const int first_x = first(x, a.name.end(), a.is_directory);
  const int first_y = first(y, b.name.end(), b.is_directory);
  if (first_x != first_y) return first_x < first_y;
  return first_x == '%' && static_cast<unsigned char>(*x) < static_cast<unsigned char>(*y);
}

std::string format_uri(const Path& path, bool is_directory) {
  std::string out(kScheme);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0) out += '/';
    append_encoded(out, path[i]);
  }
  if (is_directory && !path.empty()) out += '/';
  return out;
}

}  // namespace knarr
