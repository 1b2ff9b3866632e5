#include "common/statistics/student_t.hpp"
#include "common/statistics/wilson.hpp"
#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::report {

namespace {

using job::kFewestSamples;
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

constexpr double kMostSamples = 1e9;

/// A rate: Wilson's interval leaves a limit out from z² t (1 - t) / (p - t)² trials on. How many
/// trials a sample is worth is what the present interval tells.
double samples_for_rate(const job::Gate& gate, double rate, const statistics::Interval& ci95,
                        double limit) {
    constexpr double kSquare = statistics::kZ95 * statistics::kZ95;
    // 1 + z² / n is the squared rate by the product of the limits, or that of the other share.
    const double spread = rate > 0.5
                              ? rate * rate / (ci95.lower * ci95.upper)
                              : (1 - rate) * (1 - rate) / ((1 - ci95.lower) * (1 - ci95.upper));
    const double trials = kSquare / (spread - 1);
    const double needed = kSquare * limit * (1 - limit) / ((rate - limit) * (rate - limit));
    return static_cast<double>(gate.samples) * needed / trials;
}

/// A mean: its interval shrinks with the root of the number of samples, and with Student's t.
double samples_for_mean(const job::Gate& gate, double mean, const statistics::Interval& ci95,
                        double limit) {
    const auto samples = static_cast<double>(gate.samples);
    const double reach = mean > limit ? mean - ci95.lower : ci95.upper - mean;
    const double factor = reach / std::abs(mean - limit);
    double needed = samples * factor * factor;
    for (int i = 0; i < 3; ++i) {
        const double narrower = statistics::student_t95(std::max(needed, samples) - 1) /
                                statistics::student_t95(samples - 1);
        needed = samples * factor * factor * narrower * narrower;
    }
    return needed;
}

/// In all, if further samples are like those so far.
std::optional<std::uint64_t> samples_to_decide(const job::Gate& gate) {
    const auto [estimate, limit] = margin_of(gate);
    if (!estimate->value || !estimate->ci95 || *estimate->value == limit || gate.samples < 2)
        return std::nullopt;
    const bool is_mean = gate.ci_method == job::CiMethod::bootstrap_or_t ||
                         gate.ci_method == job::CiMethod::bootstrap;
    const double needed = (is_mean ? samples_for_mean : samples_for_rate)(gate, *estimate->value,
                                                                          *estimate->ci95, limit);
    if (!(needed > 0) || needed > kMostSamples) return std::nullopt;
    // What is open now needs one more at least.
    return std::max(gate.samples + 1, static_cast<std::uint64_t>(std::ceil(needed)));
}

std::string describe_need(const job::Gate& gate) {
    const auto needed = samples_to_decide(gate);
    if (!needed) return "no number of samples like these would decide it";
    return fmt::format(
        "about {} samples in all, {} more, would decide it (more repeats of these would not)",
        show_count(*needed), show_count(*needed - gate.samples));
}

std::string describe_interval(const GateView& view) {
    const job::Gate& gate = *view.gate;
    const auto [estimate, limit] = margin_of(gate);
    if (!estimate->value) return "no trial has a value of it";
    if (!estimate->ci95) return "it has no confidence interval";
    const std::string why =
        gate.share_over
            ? fmt::format("{} of the trials are above {} (95 % CI {}), where {} may be",
                          show(estimate->value, Unit::share), show(gate.threshold, view.unit),
                          show(estimate->ci95, Unit::share), show(limit, Unit::share))
            : fmt::format("its 95 % CI {} has the threshold {} within", view.interval(),
                          show(gate.threshold, view.unit));
    return fmt::format("{}; {}", why, describe_need(gate));
}

std::string describe_small(const job::Gate& gate) {
    return fmt::format(
        "only {} samples have a score, which is too few for an interval; {} more would give it one "
        "(more repeats would not)",
        show_count(gate.samples),
        show_count(kFewestSamples - std::min(kFewestSamples, gate.samples)));
}

std::string describe(const GateView& view, OpenReason reason) {
    switch (reason) {
        case OpenReason::small_sample:
            return describe_small(*view.gate);
        case OpenReason::interval:
            return describe_interval(view);
        case OpenReason::unscored:
            break;
    }
    return "answers without a score could turn it; scoring them would decide it, more samples "
           "would "
           "not";
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
    const auto& reasons = gate->open_because;
    const bool is_small = std::ranges::find(reasons, OpenReason::small_sample) != reasons.end();
    for (const OpenReason reason : reasons) {
        // An interval of too few samples tells nothing, nor does what is reckoned from it.
        if (is_small && reason == OpenReason::interval) continue;
        out += (out.empty() ? "" : "; ") + describe(*this, reason);
    }
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
    if (const std::string open = why_open(); !open.empty())
        out += fmt::format(" It is open because {}.", open);
    if (const std::string always = after_early_stop(); !always.empty())
        out += fmt::format(" The run ended early: {}.", always);
    return out;
}

std::string GateView::after_early_stop() const {
    if (!always_valid) return "";
    const bool is_share = gate->share_over.has_value();
    return fmt::format("its 95 % CI is not of a fixed size; always valid is {}{}",
                       show(always_valid, is_share ? Unit::share : unit),
                       is_share ? " of the trials above " + show(gate->threshold, unit) : "");
}

std::vector<GateView> make_gates(const job::Summary& summary) {
    using job::AlwaysValid;
    struct Look {
        const char* title;
        Unit unit;
        statistics::Interval AlwaysValid::*always_valid;
    };
    constexpr std::array<Look, job::kGates.size()> kLooks{
        {{"Aggregate score", Unit::score, &AlwaysValid::aggregate_score},
         {"Pass rate", Unit::share, &AlwaysValid::pass_rate},
         {"Faithfulness failures", Unit::share, &AlwaysValid::faithfulness_failure_rate},
         {"Latency p95", Unit::milliseconds, &AlwaysValid::latency_share_over}}};
    const auto& valid = summary.extra.always_valid;
    std::vector<GateView> views;
    for (std::size_t i = 0; i < kLooks.size(); ++i) {
        const job::GateInfo& info = job::kGates[i];
        const Look& look = kLooks[i];
        views.push_back(
            {std::string(info.name), look.title, look.unit, &(summary.gates.*info.gate)});
        if (valid) views.back().always_valid = (*valid).*look.always_valid;
    }
    views.back().no_interval = summary.extra.p95_without_limit.value_or("");
    return views;
}

}  // namespace evalfleet::report
