#include "common/job/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace evalfleet::job {

namespace {

constexpr std::size_t kMaxValueBytes = 100;

std::string_view trim(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_value(std::string_view text) {
    return !text.empty() && text.size() <= kMaxValueBytes &&
           std::ranges::none_of(text,
                                [](unsigned char c) { return c < 0x20 || c == 0x7F || c == '='; });
}

Error wrong(std::string_view part) {
    return {ErrorKind::invalid, fmt::format("found '{}', allowed: NAME=VALUE between commas, NAME "
                                            "being one of {}, each once",
                                            part, fmt::join(kEnvironmentNames, ", "))};
}

}  // namespace

Result<Environment> parse_environment(std::string_view text) {
    Environment environment;
    if (trim(text).empty()) return environment;
    for (;;) {
        const std::size_t end = text.find(',');
        const std::string_view part = trim(text.substr(0, end));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) return wrong(part);
        const std::string_view name = trim(part.substr(0, equals));
        const std::string_view value = trim(part.substr(equals + 1));
        const bool is_known = std::ranges::find(kEnvironmentNames, name) != kEnvironmentNames.end();
        if (!is_known || !is_value(value)) return wrong(part);
        if (!environment.emplace(name, value).second) return wrong(part);
        if (end == std::string_view::npos) return environment;
        text.remove_prefix(end + 1);
    }
}

Environment complete(Environment environment) {
    for (const std::string_view name : kEnvironmentNames)
        environment.emplace(name, kUnknown);
    return environment;
}

std::string to_text(const Environment& environment) {
    std::string text;
    for (const std::string_view name : kEnvironmentNames) {
        const auto said = environment.find(name);
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name,
                            said == environment.end() ? kUnknown : std::string_view(said->second));
    }
    return text;
}

}  // namespace evalfleet::job
