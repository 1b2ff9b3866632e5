#pragma once

#include "common/json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Members of a coordinator's answer as cells of a table. What is missing, null or of another kind
/// is shown as "-": coordinators and command lines need not be of one version. Pure.
namespace evalfleet::cli::cells {

inline constexpr std::string_view kUnknown = "-";

template <class T>
[[nodiscard]] std::optional<T> find(const json::Value& object, std::string_view name) {
    const auto member = object.find(name);
    if (!member || member->is_null()) return std::nullopt;
    auto value = member->as<T>();
    if (!value) return std::nullopt;
    return *std::move(value);
}

[[nodiscard]] std::string text(const json::Value& object, std::string_view name);
[[nodiscard]] std::string count(const json::Value& object, std::string_view name);
[[nodiscard]] std::string percent(const json::Value& object, std::string_view name);
[[nodiscard]] std::string seconds(const json::Value& object, std::string_view name);
/// "2026-11-16 02:00:00" of "2026-11-16T02:00:00.123Z".
[[nodiscard]] std::string moment(const json::Value& object, std::string_view name);
[[nodiscard]] std::string bytes(const json::Value& object, std::string_view name);

}  // namespace evalfleet::cli::cells
