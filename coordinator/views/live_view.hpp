#pragma once

#include "common/json/writer.hpp"
#include "coordinator/records/trial_table.hpp"

#include <cstdint>
#include <string>

namespace evalfleet::views {

/// How trials ended, and what they took: `"outcomes": {...}, "usage": {...}`.
void write_outcomes(json::Writer& writer, const records::TrialTable& table);

/// What was done when, in at most this many pieces.
inline constexpr std::size_t kMostPoints = 240;
[[nodiscard]] std::string timeline_json(const records::TrialTable& table);

}  // namespace evalfleet::views
