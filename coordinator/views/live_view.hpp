#pragma once

#include "common/job/policy.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "coordinator/records/trial_table.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::views {

/// A gate as it stands, while the run goes on or after.
struct LiveGate {
    std::string_view name;  ///< of job::kGates
    std::string_view comparison;
    double threshold = 0;
    std::optional<double> observed{};
    std::optional<double> lower{};  ///< of the 95 % interval
    std::optional<double> upper{};
    std::string_view decided = "open";  ///< or pass, fail
};
using LiveGates = std::array<LiveGate, 4>;

/// The gates by the trials so far. They are called decided only if an interval of 99.9 % leaves the
/// threshold out, over twenty samples at least: somebody who looks all the time would else see a
/// verdict turn too often. Pure.
[[nodiscard]] LiveGates gates_so_far(const records::TrialTable& table,
                                     const job::Policy::Gates& gates);

/// The gates of a `summary.json`; nothing if it has none. Pure.
[[nodiscard]] std::optional<LiveGates> gates_of_summary(json::Value summary);

void write(json::Writer& writer, const LiveGates& gates);

/// How trials ended, and what they took: `"outcomes": {...}, "usage": {...}`.
void write_outcomes(json::Writer& writer, const records::TrialTable& table);

/// What was done when, in at most this many pieces.
inline constexpr std::size_t kMostPoints = 240;
[[nodiscard]] std::string timeline_json(const records::TrialTable& table);

}  // namespace evalfleet::views
