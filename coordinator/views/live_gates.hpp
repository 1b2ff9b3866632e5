#pragma once

#include "common/job/policy.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/statistics/interval.hpp"
#include "coordinator/records/trial_table.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::views {

/// How an interval of 95 % came to be.
enum class IntervalKind {
    fixed_size,    ///< of a run that went to its end: it holds if one looks once
    always_valid,  ///< holds whenever one looks, all four together
};

/// A gate as it stands, while the run goes on or after.
struct LiveGate {
    std::string_view name;  ///< of job::kGates
    std::string_view comparison;
    double threshold = 0;
    std::optional<double> observed{};
    std::optional<double> lower{};  ///< of the 95 % interval
    std::optional<double> upper{};
    /// Of the latency: the share of trials above the limit, where it is that which has an interval.
    std::optional<statistics::Interval> share_over{};
    std::string_view decided = "open";  ///< or pass, fail
};

struct LiveGates {
    std::array<LiveGate, 4> gates{};
    IntervalKind intervals = IntervalKind::fixed_size;
    std::optional<std::uint64_t> samples{};  ///< that always valid intervals and decisions are of
    std::optional<std::string> note{};       ///< why nothing is decided although it could be
};

/// The run that a table is of.
struct LiveRun {
    std::string_view run_id;
    std::uint64_t samples = 0;
    std::uint64_t repeats = 1;
    bool is_shuffled = false;  ///< as a run is that may end early
};

/// The gates by the trials so far: figures of all of them, intervals and decisions of the samples
/// up to the first that is not complete, by reduce::LiveWatch. Pure.
[[nodiscard]] LiveGates gates_so_far(const records::TrialTable& table,
                                     const job::Policy::Gates& gates, const LiveRun& run);

/// The gates of a `summary.json`; nothing if it has none. Pure.
[[nodiscard]] std::optional<LiveGates> gates_of_summary(json::Value summary);

/// `"gates": [...], "intervals": ..., "interval_samples": ..., "gates_note": ...` of an object.
void write(json::Writer& writer, const LiveGates& gates);

}  // namespace evalfleet::views
