#include "common/job/vocabulary.hpp"
#include "common/json/writer.hpp"
#include "coordinator/reduce/comparison_json.hpp"
#include "coordinator/reduce/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace evalfleet::reduce {
namespace {

// A person reads the first few and then the JSON.
constexpr std::size_t kFlippedInText = 20;

constexpr const char* kRow = "{:<20} {:>8} {:>12} {:>12} {:>12} {:>24} {:>10} {:>10}  {}\n";

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
    return value ? fmt::format("{:.6g}", *value) : "-";
}

std::string verdict(const MetricDifference& metric) {
    switch (metric.verdict) {
        case Finding::worse:
            return "WORSE";
        case Finding::better:
            return "better";
        case Finding::no_worse:
            return fmt::format("no worse (by at most {}, margin {})",
                               change(metric.scale, *metric.worse_by_at_most),
                               change(metric.scale, *metric.margin));
        case Finding::cannot_tell:
            break;
    }
    return "cannot tell: " + printable(metric.reason.value_or(""));
}

std::string name_of(const FlippedTrial& trial) {
    if (trial.sample_id.empty()) return fmt::format("{}", trial.sample_index);
    return fmt::format("{} (index {})", printable(trial.sample_id), trial.sample_index);
}

void append_flipped(std::string& out, const RunComparison& comparison) {
    const auto gained = std::ranges::count_if(comparison.flipped, &FlippedTrial::now_passes);
    const auto all = static_cast<std::ptrdiff_t>(comparison.flipped.size());
    fmt::format_to(std::back_inserter(out), "\nFlipped: {} now fail, {} now pass\n", all - gained,
                   gained);
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
    return fmt::format(fmt::runtime(kRow), "metric", "samples", "base", "candidate", "difference",
                       "95% CI of difference", "p", "p (Holm)", "verdict");
}

std::string text_line(const MetricDifference& metric) {
    const auto shown = [&](double value) { return change(metric.scale, value); };
    const std::string interval =
        metric.ci95 ? fmt::format("[{}, {}]", shown(metric.ci95->lower), shown(metric.ci95->upper))
                    : "-";
    const auto p = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.3g}", *value) : "-";
    };
    return fmt::format(fmt::runtime(kRow), metric.name, metric.samples, number(metric.base),
                       number(metric.candidate),
                       metric.difference ? shown(*metric.difference) : "-", interval,
                       p(metric.p_value), p(metric.p_value_holm), verdict(metric));
}

namespace {

std::string names_of_worse(std::span<const MetricDifference> rows) {
    std::string out;
    for (const MetricDifference& row : rows) {
        if (row.verdict == Finding::worse) out += (out.empty() ? "" : ", ") + printable(row.name);
    }
    return out;
}

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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
