#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

#include <cmath>

namespace evalfleet::report {

namespace {

using job::OpenReason;

/// What the interval of a gate is held against: of a percentile, the share beyond its limit.
struct Margin {
    const job::Estimate* estimate;
    double limit;
};

Margin margin_of(const job::Gate& gate) {
    if (gate.share_over) return {&*gate.share_over, job::kShareOverLimit};
    return {&gate.observed, gate.threshold};
}

/// An interval shrinks with the root of the number of samples.
std::optional<std::uint64_t> samples_to_decide(const job::Gate& gate) {
    constexpr double kMost = 1e9;
    const auto [estimate, limit] = margin_of(gate);
    if (!estimate->value || !estimate->ci95) return std::nullopt;
    const double distance = std::abs(*estimate->value - limit);
    const double reach = *estimate->value > limit ? *estimate->value - estimate->ci95->lower
                                                  : estimate->ci95->upper - *estimate->value;
    if (distance == 0) return std::nullopt;
    const double needed = static_cast<double>(gate.samples) * std::pow(reach / distance, 2);
    if (!(needed > static_cast<double>(gate.samples)) || needed > kMost) return std::nullopt;
    return static_cast<std::uint64_t>(std::ceil(needed));
}

std::string describe_interval(const GateView& view) {
    const job::Gate& gate = *view.gate;
    const auto [estimate, limit] = margin_of(gate);
    if (!estimate->ci95) return "it has no confidence interval";
    std::string out =
        gate.share_over
            ? fmt::format("{} of the trials are above {} (95 % CI {}), where {} may be",
                          show(estimate->value, Unit::share), show(gate.threshold, view.unit),
                          show(estimate->ci95, Unit::share), show(limit, Unit::share))
            : fmt::format("its 95 % CI {} has the threshold {} within", view.interval(),
                          show(gate.threshold, view.unit));
    if (const auto samples = samples_to_decide(gate)) {
        out += fmt::format(", and about {} samples (not repeats) instead of {} would decide it",
                           show_count(*samples), show_count(gate.samples));
    }
    return out;
}

std::string describe(const GateView& view, OpenReason reason) {
    switch (reason) {
        case OpenReason::small_sample:
            return fmt::format(
                "only {} of its samples have a score, which is too few for an "
                "interval",
                show_count(view.gate->samples));
        case OpenReason::interval:
            return describe_interval(view);
        case OpenReason::unscored:
            break;
    }
    return "answers without a score could turn it";
}

}  // namespace

std::string GateView::required() const {
    return fmt::format("{} {}", gate->comparison == job::Comparison::at_least ? "≥" : "≤",
                       show(gate->threshold, unit));
}

std::string GateView::outcome() const {
    const std::string verdict = gate->passed ? "passed" : "failed";
    return gate->certainty() == job::Certainty::clear ? verdict : verdict + ", uncertain";
}

std::string GateView::why_open() const {
    std::string out;
    for (const OpenReason reason : gate->open_because)
        out += (out.empty() ? "" : "; ") + describe(*this, reason);
    return out;
}

std::string GateView::sentence() const {
    const std::string interval_of =
        no_interval.empty() ? "95 % CI " + interval() : "no 95 % CI: " + no_interval;
    std::string out =
        fmt::format("{} is {} ({}), required {}", title, observed(), interval_of, required());
    if (gate->threshold != gate->default_threshold) {
        out += fmt::format(", overriding the default {}", show(gate->default_threshold, unit));
    }
    out += ": " + outcome() + ".";
    const std::string open = why_open();
    return open.empty() ? out : fmt::format("{} It is open because {}.", out, open);
}

std::vector<GateView> make_gates(const job::Summary& summary) {
    struct Look {
        const char* title;
        Unit unit;
    };
    constexpr std::array<Look, job::kGates.size()> kLooks{{{"Aggregate score", Unit::score},
                                                           {"Pass rate", Unit::share},
                                                           {"Faithfulness failures", Unit::share},
                                                           {"Latency p95", Unit::milliseconds}}};
    std::vector<GateView> views;
    for (std::size_t i = 0; i < kLooks.size(); ++i) {
        const job::GateInfo& info = job::kGates[i];
        views.push_back(
            {std::string(info.name), kLooks[i].title, kLooks[i].unit, &(summary.gates.*info.gate)});
    }
    views.back().no_interval = summary.extra.p95_without_limit.value_or("");
    return views;
}

}  // namespace evalfleet::report
