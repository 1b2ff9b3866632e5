#include "tests/bench/flow/report.hpp"

#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::bench {

namespace {

std::string line_of(std::string_view name, const Measured& measured, std::string_view verdict,
                    std::string_view target) {
    std::string line = fmt::format("| {:<19} ", name);
    for (const MetricInfo& info : kMetrics)
        line += fmt::format("| {:>{}} ", format(info, measured[info.metric]),
                            std::max<std::size_t>(std::string_view(info.name).size(), 6));
    return line + fmt::format("| {:<4} | {} |\n", verdict, target);
}

void write_measured(json::Writer& writer, const Measured& measured) {
    writer.begin_object();
    for (const MetricInfo& info : kMetrics) {
        if (const auto value = measured[info.metric]) writer.member(info.name, *value);
    }
    writer.end_object();
}

}  // namespace

bool Row::is_passed() const {
    return std::all_of(scenario.target.begin(), scenario.target.end(),
                       [this](const Check& check) { return check.holds(faulty); });
}

std::string target_of(const Scenario& scenario) {
    std::string text;
    for (const Check& check : scenario.target)
        text.append(text.empty() ? "" : ", ").append(check.text());
    return text;
}

std::string as_table(const std::vector<Row>& rows) {
    std::string table = fmt::format("| {:<19} ", "scenario");
    std::string rule = "|---";
    for (const MetricInfo& info : kMetrics) {
        table += fmt::format("| {:>6} ", info.name);
        rule += "|---";
    }
    table += "|      | target |\n" + rule + "|---|---|\n";
    for (const Row& row : rows) {
        table += line_of(row.scenario.name, row.faulty, row.is_passed() ? "pass" : "MISS",
                         target_of(row.scenario));
        table += line_of("  without faults", row.fault_free, "", "");
    }
    return table;
}

std::string as_json(const std::vector<Row>& rows) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object().key("flow").begin_array();
    for (const Row& row : rows) {
        writer.begin_object().member("scenario", row.scenario.name);
        writer.member("what", row.scenario.what).member("target", target_of(row.scenario));
        writer.key("measured");
        write_measured(writer, row.faulty);
        writer.key("without_faults");
        write_measured(writer, row.fault_free);
        writer.member("passed", row.is_passed()).end_object();
    }
    writer.end_array().end_object();
    return out + "\n";
}

}  // namespace evalfleet::bench
