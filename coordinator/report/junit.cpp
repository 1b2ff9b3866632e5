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

void append_gate(std::string& out, const GateView& gate, const std::string& run) {
    out += "    <testcase" + attribute("classname", run + ".gates") + attribute("name", gate.name) +
           ">\n";
    if (!gate.gate->passed) {
        out += "      <failure" + attribute("type", "gate") +
               attribute("message", gate.sentence()) + "/>\n";
    }
    out += "      <system-out>" + escape_markup(gate.sentence()) + "</system-out>\n";
    out += "    </testcase>\n";
}

void append_baseline(std::string& out, const job::BaselineVerdict& verdict,
                     const std::string& run) {
    const std::string sentence = "The run is " + verdict.text + ".";
    out += "    <testcase" + attribute("classname", run + ".gates") +
           attribute("name", "baseline") + ">\n";
    if (!verdict.passed) {
        out += "      <failure" + attribute("type", "baseline") + attribute("message", sentence) +
               "/>\n";
    }
    out += "      <system-out>" + escape_markup(sentence) + "</system-out>\n";
    out += "    </testcase>\n";
}

// Of the gates and of what else decides.
std::size_t count_failures(const std::vector<GateView>& gates, const Report& report) {
    const auto failed = std::count_if(gates.begin(), gates.end(),
                                      [](const GateView& gate) { return !gate.gate->passed; });
    const bool fell_behind = report.baseline && !report.baseline->passed;
    return static_cast<std::size_t>(failed) + (fell_behind ? 1 : 0);
}

std::string describe(const job::TrialRecord& record) {
    std::string out;
    if (record.answer) out += "answer: " + shorten(*record.answer, kMaxTextCharacters) + "\n";
    if (record.rationale) out += "judge: " + shorten(*record.rationale, kMaxTextCharacters) + "\n";
    if (record.error_message) {
        out += "error: " + shorten(*record.error_message, kMaxTextCharacters) + "\n";
    }
    return out;
}

void append_trial(std::string& out, const job::TrialRecord& record, const std::string& run) {
    const auto label = job::to_string(record.failure_label.value());
    const double seconds = record.latency_e2e_ms.value_or(0) / 1000;
    out += "    <testcase" + attribute("classname", run + "." + record.task_type) +
           attribute("name", fmt::format("{} #{}", record.sample_id.value_or(""), record.repeat)) +
           attribute("time", fmt::format("{:.3f}", seconds)) + ">\n";
    out += "      <skipped" + attribute("message", label) + "/>\n";
    out += "      <system-out>" + escape_markup(describe(record)) + "</system-out>\n";
    out += "    </testcase>\n";
}

std::string suite_head(std::string_view name, std::size_t tests, std::size_t failures,
                       std::size_t skipped, const Report& report) {
    return "  <testsuite" + attribute("name", name) + attribute("tests", std::to_string(tests)) +
           attribute("failures", std::to_string(failures)) + attribute("errors", "0") +
           attribute("skipped", std::to_string(skipped)) +
           attribute("timestamp", report.metadata.timestamp_utc) + ">\n";
}

}  // namespace

std::string to_junit(const Report& report) {
    const std::string run = report.metadata.name.value_or(report.metadata.run_id);
    const std::vector<GateView> gates = make_gates(report.summary);
    const std::size_t checks = gates.size() + (report.baseline ? 1 : 0);
    const std::size_t failures = count_failures(gates, report);
    const auto examples = report.findings.examples();

    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                      attribute("name", "evalfleet") +
                      attribute("tests", std::to_string(checks + examples.size())) +
                      attribute("failures", std::to_string(failures)) + ">\n";
    out += suite_head("gates", checks, failures, 0, report);
    for (const GateView& gate : gates)
        append_gate(out, gate, run);
    if (report.baseline) append_baseline(out, *report.baseline, run);
    out += "  </testsuite>\n";
    if (!examples.empty()) {
        out += suite_head("failed trials (examples)", examples.size(), 0, examples.size(), report);
        for (const job::TrialRecord* record : examples)
            append_trial(out, *record, run);
        out += "  </testsuite>\n";
    }
    return out + "</testsuites>\n";
}

}  // namespace evalfleet::report
