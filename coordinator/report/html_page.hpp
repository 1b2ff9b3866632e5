#pragma once

#include <string>
#include <string_view>

namespace evalfleet::report {

/// The begin of a page that needs nothing else, down to `<main>`: no request goes out, and no
/// script runs but our own. `title` is not escaped yet. Pure.
[[nodiscard]] std::string html_begin(std::string_view title);

/// The end of such a page. `footer` is not escaped yet. Pure.
[[nodiscard]] std::string html_end(std::string_view footer);

}  // namespace evalfleet::report
