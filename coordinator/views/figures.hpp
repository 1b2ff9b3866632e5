#pragma once

#include "coordinator/records/trial_table.hpp"

#include <cmath>
#include <optional>
#include <string_view>

/// Figures of a trial as JSON has them: what is not known is null.
namespace evalfleet::views {

[[nodiscard]] inline std::optional<double> known(float figure) {
    if (std::isnan(figure)) return std::nullopt;
    return static_cast<double>(figure);
}

[[nodiscard]] inline std::optional<int> score_of(std::uint8_t score) {
    if (score == records::TrialEntry::kNone) return std::nullopt;
    return score;
}

template <class Enum>
[[nodiscard]] std::optional<std::string_view> name_of(std::uint8_t place) {
    const auto& names = job::Names<Enum>::values;
    if (place >= names.size()) return std::nullopt;
    return names[place];
}

}  // namespace evalfleet::views
