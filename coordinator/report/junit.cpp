#include "common/json/number.hpp"
#include "coordinator/report/escape.hpp"
#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::report {

namespace {

constexpr std::size_t kMaxTextCharacters = 4000;

std::string attribute(std::string_view name, std::string_view value) {
    return fmt::format(" {}=\"{}\"", name, escape_markup(value));
}

/// One case of the suite that decides.
struct Check {
    std::string name;
    std::string type;  ///< of what is wrong with it
    std::string sentence;
    bool passed = false;
};

std::vector<Check> make_checks(const Report& report) {
    std::vector<Check> checks;
    if (!is_measured(report))
        checks.push_back({"measured", "not_measured", unmeasured_sentence(report), false});
    for (const GateView& gate : make_gates(report.summary))
        checks.push_back({gate.name, "gate", gate.sentence(), gate.gate->passed});
    if (report.baseline) {
        checks.push_back({"baseline", "baseline", "The run is " + report.baseline->text + ".",
                          report.baseline->passed});
    }
    return checks;
}

void append_check(std::string& out, const Check& check, const std::string& run,
                  std::string_view fault) {
    out += "    <testcase" + attribute("classname", run + ".gates") +
           attribute("name", check.name) + ">\n";
    if (!check.passed) {
        out += "      <" + std::string(fault) + attribute("type", check.type) +
               attribute("message", check.sentence) + "/>\n";
    }
    out += "      <system-out>" + escape_markup(check.sentence) + "</system-out>\n";
    out += "    </testcase>\n";
}

std::string describe(const job::TrialRecord& record, const Report& report) {
    std::string out;
    const auto add = [&out](std::string_view name, const std::string& text) {
        if (!text.empty())
            out += std::string(name) + ": " + shorten(text, kMaxTextCharacters) + "\n";
    };
    const auto sample = report.samples.find(record.sample_index);
    if (sample != report.samples.end()) {
        const TrialTexts texts = texts_of(report.metadata.prompt_template, sample->second);
        add("question", texts.question);
        add("context", texts.context);
        add("reference", texts.reference);
        add("prompt", texts.prompt);
    }
    if (record.answer) out += "answer: " + shorten(*record.answer, kMaxTextCharacters) + "\n";
    if (record.rationale) out += "judge: " + shorten(*record.rationale, kMaxTextCharacters) + "\n";
    if (record.error_message) {
        out += "error: " + shorten(*record.error_message, kMaxTextCharacters) + "\n";
    }
    return out;
}

void append_trial(std::string& out, const job::TrialRecord& record, const std::string& run,
                  const Report& report) {
    const auto label = job::to_string(record.failure_label.value());
    const double seconds = record.latency_e2e_ms.value_or(0) / 1000;
    out += "    <testcase" + attribute("classname", run + "." + record.task_type) +
           attribute("name", fmt::format("{} #{}", record.sample_id.value_or(""), record.repeat)) +
           attribute("time", fmt::format("{:.3f}", seconds)) + ">\n";
    out += "      <skipped" + attribute("message", label) + "/>\n";
    out += "      <system-out>" + escape_markup(describe(record, report)) + "</system-out>\n";
    out += "    </testcase>\n";
}

using Properties = std::vector<std::pair<std::string, std::string>>;

void add_counts(Properties& properties, const std::string& prefix,
                const std::map<std::string, std::uint64_t>& counts) {
    for (const auto& [name, count] : counts)
        properties.emplace_back(prefix + name, std::to_string(count));
}

void add_figure(Properties& properties, std::string name, const std::optional<double>& figure) {
    if (figure) properties.emplace_back(std::move(name), json::format_double(*figure));
}

/// How the trials ended, and where figures come from, by their names in the summary.
Properties make_properties(const job::Summary& summary) {
    const job::Outcomes& outcomes = summary.outcomes;
    Properties properties{{"policy_hash", summary.policy_hash},
                          {"outcomes.answered_count", std::to_string(outcomes.answered_count)},
                          {"outcomes.timed_out_count", std::to_string(outcomes.timed_out_count)}};
    if (summary.run_id) properties.emplace_back("run_id", *summary.run_id);
    if (summary.dataset_hash) properties.emplace_back("dataset_hash", *summary.dataset_hash);
    add_counts(properties, "outcomes.error_kinds.", outcomes.error_kinds);
    add_counts(properties, "outcomes.evaluator_errors.", outcomes.evaluator_errors);
    for (std::size_t i = 0; i < job::kOtherReasonCount; ++i) {
        if (outcomes.other_reasons[i] == 0) continue;
        const auto name = job::to_string(static_cast<job::OtherReason>(i));
        properties.emplace_back("outcomes.other_reasons." + std::string(name),
                                std::to_string(outcomes.other_reasons[i]));
    }
    const job::Outcomes::AnsweredOnly& answered = outcomes.answered_only;
    add_figure(properties, "outcomes.answered_only.pass_rate", answered.pass_rate);
    add_figure(properties, "outcomes.answered_only.aggregate_score", answered.aggregate_score);
    add_figure(properties, "outcomes.answered_only.accuracy_mean", answered.accuracy_mean);
    add_figure(properties, "outcomes.answered_only.faithfulness_failure_rate",
               answered.faithfulness_failure_rate);
    const job::SpecBlock& spec = summary.all.spec;
    properties.emplace_back("failure_latency_count", std::to_string(spec.failure_latency_count));
    add_figure(properties, "failure_latency_p50_ms", spec.failure_latency_ms.p50);
    add_figure(properties, "failure_latency_p95_ms", spec.failure_latency_ms.p95);
    add_counts(properties, "latency_model_source.", summary.extra.latency_model_sources.by_name);
    add_counts(properties, "hallucination_source.", summary.extra.hallucination_sources.by_name);
    return properties;
}

void append_properties(std::string& out, const Properties& properties) {
    out += "    <properties>\n";
    for (const auto& [name, value] : properties) {
        out += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
    }
    out += "    </properties>\n";
}

/// How many cases of a suite ended how.
struct Count {
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    std::size_t skipped = 0;
};

std::string suite_head(std::string_view name, const Count& count, const Report& report) {
    return "  <testsuite" + attribute("name", name) +
           attribute("tests", std::to_string(count.tests)) +
           attribute("failures", std::to_string(count.failures)) +
           attribute("errors", std::to_string(count.errors)) +
           attribute("skipped", std::to_string(count.skipped)) +
           attribute("timestamp", report.metadata.timestamp_utc) + ">\n";
}

}  // namespace

std::string to_junit(const Report& report) {
    const std::string run = report.metadata.name.value_or(report.metadata.run_id);
    const std::vector<Check> checks = make_checks(report);
    const auto wrong = static_cast<std::size_t>(std::count_if(
        checks.begin(), checks.end(), [](const Check& check) { return !check.passed; }));
    // A run that could not be measured has not failed.
    const bool is_failure = is_measured(report);
    const Count count{checks.size(), is_failure ? wrong : 0, is_failure ? 0 : wrong, 0};
    const auto examples = report.findings.examples();

    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                      attribute("name", "evalfleet") +
                      attribute("tests", std::to_string(checks.size() + examples.size())) +
                      attribute("failures", std::to_string(count.failures)) +
                      attribute("errors", std::to_string(count.errors)) + ">\n";
    out += suite_head("gates", count, report);
    append_properties(out, make_properties(report.summary));
    for (const Check& check : checks)
        append_check(out, check, run, is_failure ? "failure" : "error");
    out += "  </testsuite>\n";
    if (!examples.empty()) {
        const Count skipped{.tests = examples.size(), .skipped = examples.size()};
        out += suite_head("failed trials (examples)", skipped, report);
        for (const job::TrialRecord* record : examples)
            append_trial(out, *record, run, report);
        out += "  </testsuite>\n";
    }
    return out + "</testsuites>\n";
}

}  // namespace evalfleet::report
