#include "common/statistics/student_t.hpp"
#include "common/statistics/wilson.hpp"
#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::report {

namespace {

using job::Doubt;
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

/// For the gate's interval to leave its threshold out, if further samples are like those so far.
std::optional<std::uint64_t> samples_for_interval(const job::Gate& gate) {
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

bool is_open_by(const GateView& view, OpenReason reason) {
    return std::ranges::find(view.gate->open_because, reason) != view.gate->open_because.end();
}

/// In all, for everything that is asked of the gate.
std::optional<std::uint64_t> samples_to_decide(const GateView& view) {
    const auto of_interval = samples_for_interval(*view.gate);
    if (!view.decision.doubt) return of_interval;
    const auto& of_test = view.decision.samples_needed;
    // An interval of too few samples is nothing to reckon with.
    if (of_test && is_open_by(view, OpenReason::small_sample))
        return std::max(*of_test, kFewestSamples);
    return of_interval && of_test ? std::max(*of_interval, *of_test) : of_test;
}

std::string describe_need(const GateView& view) {
    const auto needed = samples_to_decide(view);
    if (!needed) return "no number of samples like these would decide it";
    const std::uint64_t now = view.gate->samples;
    return fmt::format(
        "about {} samples in all, {} more, would decide it (more repeats of these would not)",
        show_count(*needed), show_count(*needed > now ? *needed - now : 1));
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
    return fmt::format("{}; {}", why, describe_need(view));
}

std::string describe_small(const GateView& view) {
    const job::Gate& gate = *view.gate;
    const std::string few = fmt::format(
        "only {} a score, which is too few for an interval; ",
        gate.samples == 1 ? "1 sample has" : show_count(gate.samples) + " samples have");
    if (view.decision.samples_needed) return few + describe_need(view);
    return few + fmt::format("{} more would give it one (more repeats would not)",
                             show_count(kFewestSamples - std::min(kFewestSamples, gate.samples)));
}

/// Whether scores for all answers would be enough.
std::string describe_unscored(const GateView& view) {
    const bool needs_samples = is_open_by(view, OpenReason::interval) ||
                               is_open_by(view, OpenReason::small_sample) ||
                               view.decision.doubt == Doubt::few_samples;
    return needs_samples ? "answers without a score could turn it besides; score them first"
                         : "answers without a score could turn it; scoring them would decide it, "
                           "more samples would not";
}

std::string describe(const GateView& view, OpenReason reason) {
    switch (reason) {
        case OpenReason::small_sample:
            return describe_small(view);
        case OpenReason::interval:
            return describe_interval(view);
        case OpenReason::unscored:
            break;
    }
    return describe_unscored(view);
}

/// What the test without assumptions says beyond the reasons of the interval; empty: nothing.
std::string describe_doubt(const GateView& view) {
    if (!view.decision.doubt || is_open_by(view, OpenReason::interval) ||
        is_open_by(view, OpenReason::small_sample))
        return "";
    if (view.decision.doubt == Doubt::unmeasured) {
        return is_open_by(view, OpenReason::unscored)
                   ? ""
                   : "trials without an answer or a score might have made the difference; "
                     "measuring them would decide it";
    }
    if (!view.decision.p_value) return "no trial has a value of it";
    return fmt::format(
        "{} sample{} may look like this by chance in {} of runs whose true figure is on the other "
        "side, and 2.5 % is the most for a decision; {}",
        show_count(view.gate->samples), view.gate->samples == 1 ? "" : "s",
        *view.decision.p_value < 0.5 ? "up to " + show(*view.decision.p_value, Unit::share)
                                     : std::string("half or more"),
        describe_need(view));
}

}  // namespace

std::optional<statistics::Interval> GateView::ci95() const {
    if (!no_interval.empty() || is_open_by(*this, OpenReason::small_sample)) return std::nullopt;
    std::optional<statistics::Interval> interval = gate->observed.ci95;
    if (interval && unit == Unit::score)
        interval = {std::max(0.0, interval->lower), std::min(1.0, interval->upper)};
    return interval;
}

std::string GateView::required() const {
    return fmt::format("{} {}", gate->comparison == job::Comparison::at_least ? "≥" : "≤",
                       show(gate->threshold, unit));
}

std::string GateView::outcome() const {
    const std::string verdict = gate->passed ? "passed" : "failed";
    return is_decided() ? verdict : verdict + ", uncertain";
}

std::string GateView::why_open() const {
    std::string out;
    const auto say = [&](const std::string& why) {
        if (!why.empty()) out += (out.empty() ? "" : "; ") + why;
    };
    for (const OpenReason reason : gate->open_because) {
        // An interval of too few samples tells nothing, nor does what is reckoned from it.
        if (reason == OpenReason::interval && is_open_by(*this, OpenReason::small_sample)) continue;
        say(describe(*this, reason));
    }
    say(describe_doubt(*this));
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
        views.back().decision = summary.extra.gate_decisions[i];
        if (valid) views.back().always_valid = (*valid).*look.always_valid;
    }
    views.back().no_interval = summary.extra.p95_without_limit.value_or("");
    return views;
}

}  // namespace evalfleet::report
