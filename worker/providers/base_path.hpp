#pragma once

#include "common/http/url.hpp"

#include <string_view>

namespace evalfleet::worker {

/// `base` with `root` and `path` appended, `root` only if the base does not end in it already:
/// operators write a provider's address with or without its `/v1`.
[[nodiscard]] http::Url extend(const http::Url& base, std::string_view root, std::string_view path);

/// Does the path of `base`, without slashes at its end, end in `suffix`?
[[nodiscard]] bool path_ends_with(const http::Url& base, std::string_view suffix);

}  // namespace evalfleet::worker
