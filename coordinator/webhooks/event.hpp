#pragma once

#include "common/job/baseline_verdict.hpp"
#include "common/job/names.hpp"
#include "coordinator/catalog/run_facts.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::webhooks {

/// What others are told of.
enum class EventKind {
    run_ended,    ///< done, cancelled or failed
    gate_failed,  ///< of a run that is done
    run_paused,   ///< by somebody, or by itself because it cannot go well
    regression,   ///< a run that is done is worse than its baseline
};

/// One thing that happened to one run.
struct Event {
    /// The same for the same happening, whoever tells it and how often: receivers know by it what
    /// they had before.
    std::string id;
    EventKind kind = EventKind::run_ended;
    std::chrono::system_clock::time_point at;
    catalog::RunFacts run;
    std::optional<job::BaselineVerdict> baseline;  ///< of a run that has one
};

/// What there is to tell of a run in its phase, which it has been in since `since`. Pure.
[[nodiscard]] std::vector<Event> events_of(const catalog::RunFacts& run,
                                           const std::optional<job::BaselineVerdict>& baseline,
                                           std::chrono::system_clock::time_point since);

/// The generic body (docs/webhooks.md). `link`: where the coordinator's pages are; empty: nobody
/// said. Pure.
[[nodiscard]] std::string json_body(const Event& event, std::string_view link);

/// The body that Slack and what is compatible with it take: `{"text": "..."}`. Pure.
[[nodiscard]] std::string slack_body(const Event& event, std::string_view link);

}  // namespace evalfleet::webhooks

template <>
struct evalfleet::job::Names<evalfleet::webhooks::EventKind> {
    static constexpr std::array values{
        std::string_view("run.ended"), std::string_view("gate.failed"),
        std::string_view("run.paused"), std::string_view("regression")};
};
