#include "coordinator/report/rows.hpp"

#include <array>
#include <span>

namespace evalfleet::report {

namespace {

constexpr std::string_view kText = "VARCHAR";
constexpr std::string_view kNumber = "DOUBLE";
constexpr std::string_view kCount = "BIGINT";
constexpr std::string_view kScore = "INTEGER";
constexpr std::string_view kFlag = "BOOLEAN";
constexpr std::string_view kTexts = "VARCHAR[]";
constexpr std::string_view kCounts = "MAP(VARCHAR, BIGINT)";

// In the order of a record's members; a test holds it against what is written.
constexpr std::array kRecordColumns{
    SqlColumn{"evaluation_schema_version", kText},
    SqlColumn{"run_id", kText},
    SqlColumn{"sample_id", kText},
    SqlColumn{"sample_index", kCount},
    SqlColumn{"repeat", kCount},
    SqlColumn{"task_type", kText},
    SqlColumn{"tags", "MAP(VARCHAR, VARCHAR)"},
    SqlColumn{"rejudged_from", kText},
    SqlColumn{"answer", kText},
    SqlColumn{"answer_original", kText},
    SqlColumn{"judged_answer", kText},
    SqlColumn{"finish_reason", kText},
    SqlColumn{"model_reported", kText},
    SqlColumn{"system_fingerprint", kText},
    SqlColumn{"provider_request_id", kText},
    SqlColumn{"refused_parameters", kTexts},
    SqlColumn{"prompt_cut", kFlag},
    SqlColumn{"seed_supported", kFlag},
    SqlColumn{"worker_environment", kText},
    SqlColumn{"attempts", kCount},
    SqlColumn{"deliveries", kCount},
    SqlColumn{"setbacks", kCounts},
    SqlColumn{"failed_attempts", kCounts},
    SqlColumn{"http_status", kCount},
    SqlColumn{"error_kind", kText},
    SqlColumn{"error_message", kText},
    SqlColumn{"timed_out", kFlag},
    SqlColumn{"latency_e2e_ms", kNumber},
    SqlColumn{"latency_model_ms", kNumber},
    SqlColumn{"latency_model_source", kText},
    SqlColumn{"latency_first_token_ms", kNumber},
    SqlColumn{"timing_error_bound_ms", kNumber},
    SqlColumn{"started_at_utc", "TIMESTAMPTZ"},
    SqlColumn{"timing",
              "STRUCT(queue_wait_ms DOUBLE, permit_wait_ms DOUBLE, retry_wait_ms DOUBLE, "
              "connect_ms DOUBLE, first_byte_ms DOUBLE, round_trip_ms DOUBLE, model_ms DOUBLE, "
              "judge_ms DOUBLE)"},
    SqlColumn{"input_tokens", kCount},
    SqlColumn{"output_tokens", kCount},
    SqlColumn{"reasoning_tokens", kCount},
    SqlColumn{"total_tokens", kCount},
    SqlColumn{"token_efficiency_ratio", kNumber},
    SqlColumn{"output_input_ratio", kNumber},
    SqlColumn{"tokens_source", kText},
    SqlColumn{"cache_read_input_tokens", kCount},
    SqlColumn{"cache_write_input_tokens", kCount},
    SqlColumn{"estimated_cache_savings_tokens", kCount},
    SqlColumn{"estimated_cache_savings_usd", kNumber},
    SqlColumn{"cost_usd", kNumber},
    SqlColumn{"failed_attempts_input_tokens", kCount},
    SqlColumn{"failed_attempts_output_tokens", kCount},
    SqlColumn{"accuracy_score", kScore},
    SqlColumn{"correctness_score", kScore},
    SqlColumn{"faithfulness_score", kScore},
    SqlColumn{"hallucination_score", kScore},
    SqlColumn{"hallucination_source", kText},
    SqlColumn{"rationale", kText},
    SqlColumn{"evaluator_notes", kText},
    SqlColumn{"evaluator_error", kText},
    SqlColumn{"evaluator_attempts", kCount},
    SqlColumn{"evaluator_failed_attempts", kCounts},
    SqlColumn{"evaluator_http_status", kCount},
    SqlColumn{"evaluator_error_message", kText},
    SqlColumn{"evaluator_finish_reason", kText},
    SqlColumn{"evaluator_refused_parameters", kTexts},
    SqlColumn{"evaluator_reply_faults", kTexts},
    SqlColumn{"evaluator_raw_output", kText},
    SqlColumn{"evaluator_latency_ms", kNumber},
    SqlColumn{"evaluator_input_tokens", kCount},
    SqlColumn{"evaluator_output_tokens", kCount},
    SqlColumn{"evaluator_reasoning_tokens", kCount},
    SqlColumn{"evaluator_cache_read_input_tokens", kCount},
    SqlColumn{"evaluator_cache_write_input_tokens", kCount},
    SqlColumn{"evaluator_cost_usd", kNumber},
    SqlColumn{"evaluator_model_reported", kText},
    SqlColumn{"judge_failure_label", kText},
    SqlColumn{"format_check_passed", kFlag},
    SqlColumn{"redactions", kCounts},
    SqlColumn{"accuracy_norm", kNumber},
    SqlColumn{"faithfulness_norm", kNumber},
    SqlColumn{"latency_norm", kNumber},
    SqlColumn{"token_efficiency_norm", kNumber},
    SqlColumn{"sample_score", kNumber},
    SqlColumn{"rubric_passed", kFlag},
    SqlColumn{"spec_passed", kFlag},
    SqlColumn{"failure_label", kText},
    SqlColumn{"failure_labels_secondary", kTexts},
    SqlColumn{"taken_over_from", kText},
};

void add_table(std::string& ddl, std::string_view name, std::string_view about,
               std::span<const SqlColumn> columns) {
    (((ddl += "-- ") += about) += "\nCREATE TABLE IF NOT EXISTS ") += name;
    ddl += " (\n";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        ((((ddl += "  \"") += columns[i].name) += "\" ") += columns[i].type);
        ddl += i + 1 < columns.size() ? ",\n" : "\n";
    }
    ddl += ");\n";
}

// Names of figures with an interval have three columns.
std::vector<std::string> figure_names(std::string_view name) {
    const std::string text(name);
    return {text, text + "_ci95_lower", text + "_ci95_upper"};
}

void add_slices(std::string& ddl) {
    std::vector<std::pair<std::string, std::string_view>> named;
    for (const char* name :
         {"run_id", "run_name", "model", "prompt_template", "dimension", "value"})
        named.emplace_back(name, kText);
    for (const char* name : {"trials", "passed"})
        named.emplace_back(name, kCount);
    const auto add = [&](std::string_view name) {
        for (std::string& each : figure_names(name))
            named.emplace_back(std::move(each), kNumber);
    };
    for (const char* name : {"pass_rate", "aggregate_score", "accuracy_mean", "faithfulness_mean",
                             "faithfulness_failure_rate"})
        add(name);
    named.emplace_back("latency_e2e_p50_ms", kNumber);
    add("latency_e2e_p95_ms");
    named.emplace_back("spec_passed", kCount);
    add("spec_pass_rate");
    for (const char* name : {"input_tokens", "output_tokens"})
        named.emplace_back(name, kCount);
    std::vector<SqlColumn> columns;
    for (const auto& [name, type] : named)
        columns.push_back({name, type});
    add_table(ddl, "slices", "evalfleet report DIR --format slices, and slices.jsonl of a run",
              columns);
}

}  // namespace

std::string duckdb_ddl() {
    std::string ddl;
    add_table(ddl, "records",
              "records.jsonl of a run: COPY records FROM 'records.jsonl' (FORMAT json);",
              kRecordColumns);
    add_table(
        ddl, "trials",
        "evalfleet report DIR --format csv: COPY trials FROM 'trials.csv' (HEADER, QUOTE '\"', "
        "ESCAPE '\"');",
        csv_columns());
    add_slices(ddl);
    return ddl;
}

}  // namespace evalfleet::report
