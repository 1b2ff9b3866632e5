#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

namespace evalfleet::report {

namespace {

std::string share_of(std::uint64_t count, std::uint64_t total) {
    if (total == 0) return kUnknown;
    return show(static_cast<double>(count) / static_cast<double>(total), Unit::share);
}

void add_sources(Table& table, const std::string& figure, const job::SourceCounts& sources,
                 std::uint64_t total) {
    const auto add = [&](const std::string& source, std::uint64_t count) {
        if (count == 0) return;
        table.rows.push_back({figure, source, show_count(count), share_of(count, total)});
    };
    for (const auto& [source, count] : sources.by_name)
        add(source, count);
    add("none", sources.none);
}

/// What people read for each reason.
constexpr std::array<std::string_view, job::kOtherReasonCount> kOtherWords{
    "lost to infrastructure",
    "without text at the token limit",
    "without text",
    "with a response that cannot be read",
    "refused for what was asked",
    "not scored (evaluator)",
    "so labelled by the judge",
    "over a limit of passing, or with a figure unknown that it needs"};

}  // namespace

Table outcomes_table(const job::Summary& summary) {
    const job::Outcomes& outcomes = summary.outcomes;
    const std::uint64_t total = summary.all.rubric.total_count;
    Table table{"Outcomes",
                "How the trials ended; one may be in several rows.",
                {{"", Align::left}, {"Trials"}, {"Share"}},
                {},
                {}};
    const auto add = [&](std::string name, std::uint64_t count) {
        table.rows.push_back({std::move(name), show_count(count), share_of(count, total)});
    };
    add("Answered", outcomes.answered_count);
    add("Timed out", outcomes.timed_out_count);
    for (const auto& [kind, count] : outcomes.error_kinds)
        add("Call error: " + kind, count);
    for (const auto& [kind, count] : outcomes.evaluator_errors)
        add("Evaluator error: " + kind, count);
    if (outcomes.token_limit_count > 0)
        add("Cut off at the token limit", outcomes.token_limit_count);
    return table;
}

Table answered_table(const job::Summary& summary) {
    const job::RubricBlock& all = summary.all.rubric;
    const job::Outcomes::AnsweredOnly& answered = summary.outcomes.answered_only;
    Table table{"Answered trials alone",
                "What the figures are without the trials that have no answer.",
                {{"", Align::left}, {"All trials"}, {"Answered alone"}},
                {},
                {}};
    const auto add = [&](std::string name, const std::optional<double>& of_all,
                         const std::optional<double>& of_answered, Unit unit) {
        table.rows.push_back({std::move(name), show(of_all, unit), show(of_answered, unit)});
    };
    add("Pass rate", all.pass_rate.value, answered.pass_rate, Unit::share);
    add("Aggregate score", all.aggregate_score.value, answered.aggregate_score, Unit::score);
    add("Accuracy, mean", all.accuracy_mean.value, answered.accuracy_mean, Unit::score);
    add("Faithfulness failures", all.faithfulness_failure_rate.value,
        answered.faithfulness_failure_rate, Unit::share);
    return table;
}

Table sources_table(const job::Summary& summary) {
    const std::uint64_t total = summary.all.rubric.total_count;
    Table table{"Sources",
                "",
                {{"Figure", Align::left}, {"Source", Align::left}, {"Trials"}, {"Share"}},
                {},
                {}};
    if (total == 0) return table;
    const job::SourceCounts& latency = summary.extra.latency_model_sources;
    add_sources(table, "Model latency", latency, total);
    add_sources(table, "Hallucination score", summary.extra.hallucination_sources, total);
    const auto estimated =
        latency.by_name.find(std::string(job::to_string(job::LatencySource::wire_estimate)));
    if (estimated != latency.by_name.end() && estimated->second > 0) {
        table.note =
            "wire_estimate is an approximation: from the last byte of the request to the last byte "
            "of the answer, less the connection's smallest round trip, so that waiting in the "
            "provider's own queue and network counts as the model's time.";
    }
    return table;
}

std::string explain_other(const job::Outcomes& outcomes) {
    std::string out;
    for (std::size_t i = 0; i < job::kOtherReasonCount; ++i) {
        if (outcomes.other_reasons[i] == 0) continue;
        out += fmt::format("{}{} {}", out.empty() ? "" : "; ",
                           show_count(outcomes.other_reasons[i]), kOtherWords[i]);
    }
    return out;
}

}  // namespace evalfleet::report
