#pragma once

#include <string>

namespace evalfleet::cli {

/// Where a coordinator shows a run in a browser. Pure.
[[nodiscard]] std::string run_link(const std::string& coordinator_url, const std::string& run_id);

/// Tells people, on standard error, where they can look at a run.
void print_run_link(const std::string& coordinator_url, const std::string& run_id);

}  // namespace evalfleet::cli
