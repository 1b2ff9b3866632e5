#pragma once

#include <string_view>

namespace evalfleet::report {

/// The style sheet of the HTML report, light and dark, for screen and paper.
extern const std::string_view kHtmlStyle;

}  // namespace evalfleet::report
