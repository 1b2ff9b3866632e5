#include "common/json/number.hpp"
#include "coordinator/report/escape.hpp"
#include "coordinator/report/rows.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evalfleet::report {

namespace {

using job::TrialRecord;

template <class T>
std::string cell(const std::optional<T>& value);

std::string cell(const std::string& text) {
    return escape_csv(text);
}
std::string cell(double number) {
    return json::format_double(number);
}
std::string cell(bool flag) {
    return flag ? "true" : "false";
}
std::string cell(int number) {
    return std::to_string(number);
}
std::string cell(std::int64_t number) {
    return std::to_string(number);
}
template <job::NamedEnum Enum>
std::string cell(Enum value) {
    return std::string(job::to_string(value));
}
template <class T>
std::string cell(const std::optional<T>& value) {
    return value ? cell(*value) : "";
}

/// All that a row is made of.
struct Row {
    const TrialRecord& record;
    const RowRun& run;
    const TrialTexts& texts;
};

std::string tags_cell(const Row& row) {
    std::string all;
    for (const auto& [key, value] : row.record.tags)
        all += (all.empty() ? "" : ";") + key + "=" + value;
    return escape_csv(all);
}

std::string outcome_cell(const Row& row) {
    if (row.record.timed_out) return "timed_out";
    return job::is_answered(row.record) ? "answered" : "non_responsive";
}

template <class T>
struct SqlType {
    static constexpr std::string_view name = "VARCHAR";
};
template <class T>
struct SqlType<std::optional<T>> : SqlType<T> {};
template <>
struct SqlType<double> {
    static constexpr std::string_view name = "DOUBLE";
};
template <>
struct SqlType<bool> {
    static constexpr std::string_view name = "BOOLEAN";
};
template <>
struct SqlType<int> {
    static constexpr std::string_view name = "INTEGER";
};
template <>
struct SqlType<std::int64_t> {
    static constexpr std::string_view name = "BIGINT";
};

struct CsvColumn {
    std::string_view name;
    std::string_view type;
    std::string (*write)(const Row&);
};

template <auto Member>
constexpr CsvColumn column(std::string_view name) {
    using T = std::remove_reference_t<decltype(std::declval<TrialRecord>().*Member)>;
    return {name, SqlType<T>::name, [](const Row& row) { return cell(row.record.*Member); }};
}

template <std::string RowRun::*Text>
constexpr CsvColumn run_column(std::string_view name) {
    return {name, "VARCHAR", [](const Row& row) { return cell(row.run.*Text); }};
}

template <std::string TrialTexts::*Text>
constexpr CsvColumn text_column(std::string_view name) {
    return {name, "VARCHAR", [](const Row& row) { return cell(row.texts.*Text); }};
}

constexpr std::array kColumns{
    run_column<&RowRun::run_id>("run_id"),
    run_column<&RowRun::name>("run_name"),
    run_column<&RowRun::model>("model"),
    run_column<&RowRun::prompt>("prompt_template"),
    column<&TrialRecord::sample_id>("sample_id"),
    column<&TrialRecord::sample_index>("sample_index"),
    column<&TrialRecord::repeat>("repeat"),
    column<&TrialRecord::task_type>("task_type"),
    CsvColumn{"tags", "VARCHAR", tags_cell},
    CsvColumn{"outcome", "VARCHAR", outcome_cell},
    column<&TrialRecord::rubric_passed>("rubric_passed"),
    column<&TrialRecord::spec_passed>("spec_passed"),
    column<&TrialRecord::failure_label>("failure_label"),
    column<&TrialRecord::sample_score>("sample_score"),
    column<&TrialRecord::correctness_score>("accuracy_score"),
    column<&TrialRecord::faithfulness_score>("faithfulness_score"),
    column<&TrialRecord::hallucination_score>("hallucination_score"),
    column<&TrialRecord::hallucination_source>("hallucination_source"),
    column<&TrialRecord::latency_e2e_ms>("latency_e2e_ms"),
    column<&TrialRecord::latency_model_ms>("latency_model_ms"),
    column<&TrialRecord::latency_model_source>("latency_model_source"),
    column<&TrialRecord::input_tokens>("input_tokens"),
    column<&TrialRecord::output_tokens>("output_tokens"),
    column<&TrialRecord::reasoning_tokens>("reasoning_tokens"),
    column<&TrialRecord::cost_usd>("cost_usd"),
    column<&TrialRecord::attempts>("attempts"),
    column<&TrialRecord::http_status>("http_status"),
    column<&TrialRecord::timed_out>("timed_out"),
    column<&TrialRecord::error_kind>("error_kind"),
    column<&TrialRecord::error_message>("error_message"),
    column<&TrialRecord::evaluator_error>("evaluator_error"),
    column<&TrialRecord::finish_reason>("finish_reason"),
    column<&TrialRecord::model_reported>("model_reported"),
    column<&TrialRecord::started_at_utc>("started_at_utc"),
    text_column<&TrialTexts::question>("question"),
    text_column<&TrialTexts::context>("context"),
    text_column<&TrialTexts::reference>("reference_answer"),
    text_column<&TrialTexts::prompt>("prompt"),
    column<&TrialRecord::answer>("answer"),
    column<&TrialRecord::rationale>("rationale"),
};

}  // namespace

std::string csv_header() {
    std::string line;
    for (const CsvColumn& column : kColumns)
        (line += line.empty() ? "" : ",") += column.name;
    return line + "\r\n";
}

std::string csv_row(const TrialRecord& record, const RowRun& run, const TrialTexts& texts) {
    const Row row{record, run, texts};
    std::string line;
    for (std::size_t i = 0; i < kColumns.size(); ++i)
        (line += i == 0 ? "" : ",") += kColumns[i].write(row);
    return line + "\r\n";
}

std::vector<SqlColumn> csv_columns() {
    std::vector<SqlColumn> columns;
    for (const CsvColumn& column : kColumns)
        columns.push_back({column.name, column.type});
    return columns;
}

}  // namespace evalfleet::report
