#include "common/telemetry/queue_calls.hpp"

namespace evalfleet::telemetry {

namespace {

// "ef1_take" -> "take": the prefix tells versions of the functions apart, which is not of interest
// here.
std::string_view plain_name(std::string_view function) {
    const auto underscore = function.find('_');
    return underscore == std::string_view::npos ? function : function.substr(underscore + 1);
}

}  // namespace

QueueCalls::QueueCalls(metrics::Registry& registry, std::span<const std::string_view> functions) {
    for (const std::string_view function : functions) {
        const metrics::Labels labels{{"program", registry.program()},
                                     {"function", std::string(function)}};
        figures_.emplace(
            function,
            Figures{registry.histogram(
                        "evalfleet_queue_call_duration_seconds",
                        "Round trips of the queue's functions on Redis",
                        {0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5},
                        labels),
                    registry.counter("evalfleet_queue_call_failures_total",
                                     "Calls of the queue's functions that were not answered or got "
                                     "an error",
                                     labels)});
    }
}

void QueueCalls::watch(redis::FunctionLibrary& library) {
    library.observe_calls([this](std::string_view function, async::Duration took, bool answered) {
        note(function, took, answered);
    });
}

void QueueCalls::note(std::string_view function, async::Duration took, bool answered) {
    const auto found = figures_.find(plain_name(function));
    if (found == figures_.end()) return;
    Figures figures = found->second;
    figures.duration.observe(took);
    if (!answered) figures.failures.increment();
}

}  // namespace evalfleet::telemetry
