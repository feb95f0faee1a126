// URIs of the namespace: `viking://` and components joined by `/`.
//
// Inside the engine a path is its decoded components. Decoding happens once, here, on the way in;
// encoding once, here, on the way out; so a `/` inside a name is data and never makes a level.
// All functions are pure and may be called from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace knarr {

inline constexpr std::string_view kScheme = "viking://";
inline constexpr std::size_t kMaxUriBytes = std::size_t{64} << 10;

// Decoded components from the top; empty for the root. Valid UTF-8, without control characters.
using Path = std::vector<std::string>;

// Takes a URI with or without a closing slash. Throws kInvalidArgument for: another scheme, an
// empty component, `.` and `..` (also as the part of a component before an encoded slash or a
// backslash), control characters, malformed escapes, invalid UTF-8 (all of them also after
// decoding), and more than kMaxUriBytes. The message quotes the URI and says which of these it is,
// where, and what to do.
Path parse_uri(std::string_view uri);

// Why a decoded string is no component, as a phrase behind its name; empty when it is one.
std::string component_fault(std::string_view component);

// Appends a component to `out`, percent-encoding `%`, `/`, `?`, `#`, `\`, bytes up to 0x20, 0x7f.
void append_encoded(std::string& out, std::string_view component);

// A component of a URI, decoded; a `/` follows that of a directory.
struct Component {
  std::string_view name;
  bool is_directory;
};

// Whether a sorts before b where they are written, encoded, in URIs that are the same up to them.
bool encoded_before(Component a, Component b);

// The URI of a path; with a closing slash for a directory.
std::string format_uri(const Path& path, bool is_directory);

// Outside text between quotes for a message: cut to a few hundred bytes, always valid UTF-8, and
// free of control characters.
std::string quoted(std::string_view text);

// URIs that are written without escapes are the common case. They can be looked up as they are:
// every component in the trie was checked when it came in, so what matches is well-formed.

// What follows the scheme, without a closing slash; none when only parse_uri can decide.
inline std::optional<std::string_view> plain_path(std::string_view uri) {
  if (!uri.starts_with(kScheme) || uri.size() > kMaxUriBytes) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  if (uri.size() > 1 && uri.ends_with('/')) uri.remove_suffix(1);
  if (uri.ends_with('/') || uri.find('%') != std::string_view::npos) return std::nullopt;
  return uri;
}

// Takes the first component off a path that is not empty.
inline std::string_view take_component(std::string_view& path) {
  const std::string_view component = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(component.size() + 1, path.size()));
  return component;
}

}  // namespace knarr
