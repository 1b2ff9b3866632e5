#include "common/job/vocabulary.hpp"
#include "common/json/writer.hpp"
#include "coordinator/reduce/comparison_json.hpp"
#include "coordinator/reduce/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

namespace evalfleet::reduce {
namespace {

// A person reads the first few and then the JSON.
constexpr std::size_t kFlippedInText = 20;

constexpr const char* kRow = "{:<20} {:>10} {:>10} {:>11}  {}\n";

void write_flipped(json::Writer& writer, const FlippedTrial& trial) {
    writer.begin_object();
    writer.member("sample_index", trial.sample_index);
    writer.member("sample_id", trial.sample_id);
    writer.member("repeat", trial.repeat);
    writer.member("condition", trial.condition);
    writer.member("now_passes", trial.now_passes);
    writer.end_object();
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.4g}", *value) : "-";
}

/// As people give them: below a thousandth the figure says no more.
std::string p_value(const std::optional<double>& p) {
    if (!p) return "-";
    if (*p < 0.001) return "< 0.001";
    return fmt::format("{:.3f}", *p);
}

std::string verdict(const MetricDifference& metric) {
    switch (metric.verdict) {
        case Finding::worse:
            return "WORSE";
        case Finding::better:
            return "better";
        case Finding::no_worse:
            return "no worse";
        case Finding::cannot_tell:
            break;
    }
    return "cannot tell";
}

/// What stands behind the verdict; empty if nothing does.
std::string reason_of(const MetricDifference& metric) {
    if (metric.verdict == Finding::no_worse) {
        return fmt::format("by at most {}, margin {}",
                           change(metric.scale, *metric.worse_by_at_most),
                           change(metric.scale, *metric.margin));
    }
    if (metric.verdict != Finding::cannot_tell) return "";
    return printable(metric.reason.value_or(""));
}

/// The second line of a metric: what the difference rests on.
std::string grounds_of(const MetricDifference& metric) {
    std::string text = fmt::format("  {} samples", metric.samples);
    if (metric.ci95) {
        text += fmt::format(", 95% CI [{}, {}]", change(metric.scale, metric.ci95->lower),
                            change(metric.scale, metric.ci95->upper));
    }
    if (metric.p_value) text += fmt::format(", p {}", p_value(metric.p_value));
    if (metric.p_value_holm) text += fmt::format(" (Holm {})", p_value(metric.p_value_holm));
    return text + "\n";
}

std::string name_of(const FlippedTrial& trial) {
    if (trial.sample_id.empty()) return fmt::format("{}", trial.sample_index);
    return fmt::format("{} (index {})", printable(trial.sample_id), trial.sample_index);
}

/// How many samples have a trial that went one way under one rule, and how many trials did.
struct Flips {
    std::set<std::int64_t> samples;
    std::size_t trials = 0;
};

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "3 samples (5 trials)"
std::string samples_and_trials(const Flips& flips) {
    return counted(flips.samples.size(), "sample") + " (" + counted(flips.trials, "trial") + ")";
}

/// Each rule for itself: a trial may fail by one and pass by the other.
void append_counts(std::string& out, const RunComparison& comparison) {
    std::map<std::string, std::array<Flips, 2>> rules;
    for (const FlippedTrial& trial : comparison.flipped) {
        Flips& flips = rules[trial.condition][trial.now_passes ? 1 : 0];
        flips.samples.insert(static_cast<std::int64_t>(trial.sample_index));
        ++flips.trials;
    }
    if (rules.empty()) out += "\nFlipped: none\n";
    for (const auto& [rule, flips] : rules) {
        fmt::format_to(std::back_inserter(out),
                       "\nFlipped by the {} condition:\n  now fail: {}\n  now pass: {}\n", rule,
                       samples_and_trials(flips[0]), samples_and_trials(flips[1]));
    }
}

void append_flipped(std::string& out, const RunComparison& comparison) {
    append_counts(out, comparison);
    const std::size_t shown = std::min(comparison.flipped.size(), kFlippedInText);
    for (std::size_t i = 0; i < shown; ++i) {
        const FlippedTrial& trial = comparison.flipped[i];
        fmt::format_to(std::back_inserter(out), "  sample {} repeat {}: {} condition now {}\n",
                       name_of(trial), trial.repeat, trial.condition,
                       trial.now_passes ? "passes" : "fails");
    }
    if (shown < comparison.flipped.size()) {
        fmt::format_to(std::back_inserter(out), "  ... and {} more\n",
                       comparison.flipped.size() - shown);
    }
}

}  // namespace

void write(json::Writer& writer, const MetricDifference& metric) {
    const auto limit = [&](double statistics::Interval::*side) {
        return metric.ci95 ? std::optional((*metric.ci95).*side) : std::nullopt;
    };
    writer.begin_object();
    writer.member("name", metric.name);
    writer.member("higher_is_better", metric.higher_is_better);
    writer.member("scale", job::to_string(metric.scale));
    writer.member("pairs", metric.pairs);
    writer.member("samples", metric.samples);
    writer.member("base", metric.base);
    writer.member("candidate", metric.candidate);
    writer.member("difference", metric.difference);
    writer.member("difference_ci95_lower", limit(&statistics::Interval::lower));
    writer.member("difference_ci95_upper", limit(&statistics::Interval::upper));
    writer.member("worse_by_at_most", metric.worse_by_at_most);
    writer.member("margin", metric.margin);
    writer.member("p_value", metric.p_value);
    writer.member("p_value_holm", metric.p_value_holm);
    writer.member("testable", metric.testable);
    writer.member("verdict", job::to_string(metric.verdict));
    writer.member("reason", metric.reason);
    writer.member("lost_samples", metric.lost_samples);
    writer.member("won_samples", metric.won_samples);
    writer.member("mcnemar_p_value", metric.mcnemar_p_value);
    write(writer, metric.power);
    writer.end_object();
}

std::string change(Scale scale, double value) {
    return scale == Scale::ratio ? fmt::format("{:+.2f}%", 100 * value)
                                 : fmt::format("{:+.4g}", value);
}

std::string text_head() {
    return fmt::format(fmt::runtime(kRow), "metric", "base", "candidate", "difference", "verdict");
}

std::string text_line(const MetricDifference& metric) {
    std::string text = fmt::format(
        fmt::runtime(kRow), metric.name, number(metric.base), number(metric.candidate),
        metric.difference ? change(metric.scale, *metric.difference) : "-", verdict(metric));
    text += grounds_of(metric);
    const std::string reason = reason_of(metric);
    return reason.empty() ? text : text + "  " + reason + "\n";
}

namespace {

std::string names_of_worse(std::span<const MetricDifference> rows) {
    std::string out;
    for (const MetricDifference& row : rows) {
        if (row.verdict == Finding::worse) out += (out.empty() ? "" : ", ") + printable(row.name);
    }
    return out;
}

}  // namespace

std::string sentence_of(std::span<const MetricDifference> rows) {
    switch (decision_of(rows)) {
        case Decision::worse:
            return "Worse by more than chance explains: " + names_of_worse(rows) + ".";
        case Decision::no_worse:
            return "No worse: every margin is kept, and no metric is worse.";
        case Decision::nothing_found:
            return "No metric is worse beyond chance. That they are equal is not shown; a margin "
                   "asks for it.";
        case Decision::cannot_tell:
            break;
    }
    return "Cannot tell: " + printable(why_undecided(rows)) + ".";
}

std::string to_json(const RunComparison& comparison) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object();
    writer.member("evaluation_schema_version", job::kEvaluationSchemaVersion);
    writer.member("comparable", comparison.incomparable.empty());
    writer.key("reasons").begin_array();
    for (const std::string& reason : comparison.incomparable) {
        writer.value(reason);
    }
    writer.end_array();
    writer.member("base_trials", comparison.base_trials);
    writer.member("candidate_trials", comparison.candidate_trials);
    writer.member("shared_trials", comparison.shared_trials);
    writer.member("shared_samples", comparison.shared_samples);
    writer.member("verdict", job::to_string(comparison.decision()));
    writer.member("significant_regression", comparison.decision() == Decision::worse);
    writer.key("metrics").begin_array();
    for (const MetricDifference& metric : comparison.metrics) {
        write(writer, metric);
    }
    writer.end_array();
    writer.key("flipped").begin_array();
    for (const FlippedTrial& trial : comparison.flipped) {
        write_flipped(writer, trial);
    }
    writer.end_array();
    writer.end_object();
    out += '\n';
    return out;
}

std::string to_text(const RunComparison& comparison) {
    std::string out;
    for (const std::string& reason : comparison.incomparable) {
        fmt::format_to(std::back_inserter(out), "NOT COMPARABLE: {}\n", printable(reason));
    }
    fmt::format_to(std::back_inserter(out), "{} of {} (base has {}, candidate {})\n\n",
                   counted(comparison.shared_trials, "shared trial"),
                   counted(comparison.shared_samples, "sample"), comparison.base_trials,
                   comparison.candidate_trials);
    out += text_head();
    for (const MetricDifference& metric : comparison.metrics) {
        out += text_line(metric);
    }
    append_power(out, comparison.metrics);
    append_flipped(out, comparison);
    fmt::format_to(std::back_inserter(out), "\n{}\n", sentence_of(comparison.metrics));
    return out;
}

}  // namespace evalfleet::reduce
