#include "cli/json_cells.hpp"

#include "cli/remote/progress.hpp"

#include <fmt/format.h>

namespace evalfleet::cli::cells {

std::string text(const json::Value& object, std::string_view name) {
    return find<std::string>(object, name).value_or(std::string(kUnknown));
}

std::string count(const json::Value& object, std::string_view name) {
    const auto number = find<std::uint64_t>(object, name);
    return number ? std::to_string(*number) : std::string(kUnknown);
}

std::string percent(const json::Value& object, std::string_view name) {
    const auto share = find<double>(object, name);
    return share ? fmt::format("{:.1f} %", *share * 100) : std::string(kUnknown);
}

std::string seconds(const json::Value& object, std::string_view name) {
    const auto number = find<double>(object, name);
    return number ? remote::describe_seconds(*number) : std::string(kUnknown);
}

std::string moment(const json::Value& object, std::string_view name) {
    std::string time = text(object, name).substr(0, 19);
    if (time.size() == 19) time[10] = ' ';
    return time;
}

std::string bytes(const json::Value& object, std::string_view name) {
    const auto number = find<std::uint64_t>(object, name);
    if (!number) return std::string(kUnknown);
    return fmt::format("{:.1f} MiB", static_cast<double>(*number) / (1024 * 1024));
}

}  // namespace evalfleet::cli::cells
