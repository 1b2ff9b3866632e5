#pragma once

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::doctor {

enum class Level {
    ok,
    warn,  ///< it works, but not as it should
    fail,  ///< runs will fail or not begin
};

/// One thing that was looked at. Never holds a secret.
struct Finding {
    Level level = Level::ok;
    std::string what;    ///< `redis`, `provider main`
    std::string found;   ///< what is the case
    std::string advice;  ///< what to do about it; empty if it is well
};

using Findings = std::vector<Finding>;

[[nodiscard]] Finding well(std::string what, std::string found);
[[nodiscard]] Finding doubtful(std::string what, std::string found, std::string advice);
[[nodiscard]] Finding broken(std::string what, std::string found, std::string advice);

[[nodiscard]] bool has_failure(const Findings& findings) noexcept;

/// A line each, what to do about it on one of its own, and how many of each level there are.
[[nodiscard]] std::string to_text(const Findings& findings);

/// `{"healthy": true, "findings": [{"level", "what", "found", "advice"}]}`
[[nodiscard]] std::string to_json(const Findings& findings);

}  // namespace evalfleet::doctor
