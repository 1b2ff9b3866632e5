#include "cli/fleet/child_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace evalfleet::fleet {

namespace {

constexpr std::array<std::string_view, 10> kPlain{
    "HOME", "LANG",  "LD_LIBRARY_PATH", "LD_PRELOAD", "LOGNAME",
    "PATH", "SHELL", "TMPDIR",          "TZ",         "USER"};
constexpr std::array<std::string_view, 2> kPlainPrefixes{"LC_", "EVALFLEET_"};
constexpr std::string_view kSanitizerSuffix = "SAN_OPTIONS";

// The fleet decides about these itself.
constexpr std::array<std::string_view, 14> kDoors{
    "EVALFLEET_TOKEN",        "EVALFLEET_TOKEN_FILE",     "EVALFLEET_TOKENS_FILE",
    "EVALFLEET_REDIS",        "EVALFLEET_LISTEN",         "EVALFLEET_PORT_FILE",
    "EVALFLEET_METRICS_HOST", "EVALFLEET_METRICS_PORT",   "EVALFLEET_COORDINATOR_URL",
    "EVALFLEET_WEBHOOKS",     "EVALFLEET_REDIS_PASSWORD", "EVALFLEET_REDIS_PASSWORD_FILE",
    "EVALFLEET_TRACES",       "EVALFLEET_EXPORT_TO"};

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

template <class Names>
bool has(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_plain(std::string_view name) {
    return has(kPlain, name) || name.ends_with(kSanitizerSuffix) ||
           std::any_of(kPlainPrefixes.begin(), kPlainPrefixes.end(),
                       [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::vector<std::string> child_environment(Inherit what, std::span<const std::string> ours,
                                           std::span<const std::string> keys,
                                           std::vector<std::string> more) {
    std::vector<std::string> environment = std::move(more);
    const std::size_t given = environment.size();
    for (const std::string& variable : ours) {
        const std::string_view name = name_of(variable);
        const bool is_given = std::any_of(
            environment.begin(), environment.begin() + static_cast<std::ptrdiff_t>(given),
            [name](const std::string& other) { return name_of(other) == name; });
        const bool is_key = has(keys, name);
        const bool may = what == Inherit::keys ? is_key || !has(kDoors, name)
                                               : !is_key && is_plain(name) && !has(kDoors, name);
        if (may && !is_given) environment.push_back(variable);
    }
    return environment;
}

std::vector<std::string> own_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    return variables;
}

}  // namespace evalfleet::fleet
