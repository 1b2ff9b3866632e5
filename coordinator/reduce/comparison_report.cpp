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

constexpr const char* kRow = "{:<20} {:>12} {:>12} {:>12} {:>24} {:>10}  {}\n";

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

std::string_view verdict(const MetricDifference& metric) {
    if (metric.regression) return "REGRESSION";
    return metric.significant ? "improvement" : "no significant difference";
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

void write(json::Writer& writer, const MetricDifference& metric, TestNames names) {
    const auto limit = [&](double statistics::Interval::*side) {
        return metric.ci95 ? std::optional((*metric.ci95).*side) : std::nullopt;
    };
    writer.begin_object();
    writer.member("name", metric.name);
    writer.member("higher_is_better", metric.higher_is_better);
    writer.member("pairs", metric.pairs);
    writer.member("base", metric.base);
    writer.member("candidate", metric.candidate);
    writer.member("difference", metric.difference);
    writer.member("difference_ci95_lower", limit(&statistics::Interval::lower));
    writer.member("difference_ci95_upper", limit(&statistics::Interval::upper));
    const bool mcnemar = names == TestNames::mcnemar;
    writer.member(mcnemar ? "mcnemar_p_value" : "p_value", metric.p_value);
    writer.member(mcnemar ? "mcnemar_p_value_holm" : "p_value_holm", metric.p_value_holm);
    writer.member("significant", metric.significant);
    writer.member("regression", metric.regression);
    writer.end_object();
}

std::string text_head() {
    return fmt::format(fmt::runtime(kRow), "metric", "base", "candidate", "difference",
                       "95% CI of difference", "p (Holm)", "verdict");
}

std::string text_line(const MetricDifference& metric) {
    const std::string interval =
        metric.ci95 ? fmt::format("[{:.4g}, {:.4g}]", metric.ci95->lower, metric.ci95->upper) : "-";
    return fmt::format(fmt::runtime(kRow), metric.name, number(metric.base),
                       number(metric.candidate), number(metric.difference), interval,
                       number(metric.p_value_holm), verdict(metric));
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
    writer.member("significant_regression", comparison.significant_regression());
    writer.key("metrics").begin_array();
    for (const MetricDifference& metric : comparison.metrics) {
        write(writer, metric, TestNames::mcnemar);
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
    fmt::format_to(std::back_inserter(out),
                   "{} shared trials of {} samples (base has {}, candidate {})\n\n",
                   comparison.shared_trials, comparison.shared_samples, comparison.base_trials,
                   comparison.candidate_trials);
    out += text_head();
    for (const MetricDifference& metric : comparison.metrics) {
        out += text_line(metric);
    }
    append_flipped(out, comparison);
    fmt::format_to(std::back_inserter(out), "\n{}\n",
                   comparison.significant_regression() ? "Significant regression."
                                                       : "No significant regression.");
    return out;
}

}  // namespace evalfleet::reduce
