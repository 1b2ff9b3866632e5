#include "coordinator/runs/regression.hpp"

#include "common/json/writer.hpp"
#include "coordinator/report/escape.hpp"

namespace evalfleet::runs {

namespace {

std::string details(const RegressionCheck& check) {
    return check.comparison ? reduce::to_text(*check.comparison)
                            : check.not_comparable_reason + "\n";
}

}  // namespace

std::string RegressionCheck::verdict() const {
    const std::string name = "the baseline " + baseline + " (" + baseline_run_id + ")";
    if (!comparison) return "not comparable with " + name + ": " + not_comparable_reason;
    switch (comparison->decision()) {
        case reduce::Decision::worse:
            return "significantly worse than " + name;
        case reduce::Decision::no_worse:
            return "no worse than " + name + " by more than the margins";
        case reduce::Decision::nothing_found:
            return "not significantly worse than " + name;
        case reduce::Decision::cannot_tell:
            break;
    }
    return "not known to be as good as " + name + ": " + reduce::why_undecided(comparison->metrics);
}

std::optional<RegressionCheck> blocking_check_regression(const store::RunFolder& folder,
                                                         const job::RunMetadata& metadata) {
    if (!metadata.baseline || !metadata.baseline_run_id) return std::nullopt;
    RegressionCheck check;
    check.baseline = *metadata.baseline;
    check.baseline_run_id = *metadata.baseline_run_id;
    reduce::CompareOptions options;
    options.replicates = metadata.policy.bootstrap.replicates;
    options.seed = metadata.policy.bootstrap.seed;
    options.margins = metadata.baseline_margin;
    const auto base = folder.path().parent_path() / check.baseline_run_id;
    auto comparison = reduce::compare_runs(base, folder.path(), options);
    if (comparison)
        check.comparison = std::move(*comparison);
    else
        check.not_comparable_reason = comparison.error().message;
    return check;
}

std::string to_json(const RegressionCheck& check) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object()
        .member("baseline", check.baseline)
        .member("baseline_run_id", check.baseline_run_id)
        .member("passed", check.passed())
        .member("decision", job::to_string(check.decision()))
        .member("verdict", check.verdict())
        .key("comparison");
    if (check.comparison) {
        std::string comparison = reduce::to_json(*check.comparison);
        while (!comparison.empty() && comparison.back() == '\n')
            comparison.pop_back();
        writer.raw(comparison);
    } else {
        writer.null();
    }
    writer.end_object();
    return text + "\n";
}

std::string to_markdown(const RegressionCheck& check) {
    return "\n## Baseline\n\nThis run is " + report::escape_markdown(check.verdict()) +
           ".\n\n```\n" + details(check) + "```\n";
}

std::string to_html(const RegressionCheck& check) {
    return "<section><h2>Baseline</h2><p>This run is " + report::escape_markup(check.verdict()) +
           ".</p><pre>" + report::escape_markup(details(check)) + "</pre></section>";
}

}  // namespace evalfleet::runs
