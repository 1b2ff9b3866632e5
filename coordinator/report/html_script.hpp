#pragma once

#include <string>
#include <string_view>

namespace evalfleet::report {

/// The only script of the HTML report: lets a reader sort tables by their columns. Without scripts
/// the report is complete, only not sortable.
extern const std::string_view kHtmlScript;

/// What a Content-Security-Policy needs to let this script run and no other: 'sha256-...'.
[[nodiscard]] std::string html_script_source();

}  // namespace evalfleet::report
