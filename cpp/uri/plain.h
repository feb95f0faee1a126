// URIs that are written without escapes, taken apart where they stand.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "uri/uri.h"

namespace knarr {

// What follows the scheme, without a closing slash; none when only parse_uri can tell.
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
