#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace evalfleet::job {

/// The spelling of an enum in JSON. Specialise with `static constexpr std::array values`, one name
/// for each enumerator, in their order (enumerators count from 0).
template <class Enum>
struct Names;

template <class Enum>
concept NamedEnum = requires {
    Names<Enum>::values.size();
};

template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view to_string(Enum value) noexcept {
    return Names<Enum>::values[static_cast<std::size_t>(value)];
}

/// The enumerator with exactly this name, if there is one.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> from_name(std::string_view name) noexcept {
    for (std::size_t i = 0; i < Names<Enum>::values.size(); ++i) {
        if (Names<Enum>::values[i] == name) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

}  // namespace evalfleet::job
