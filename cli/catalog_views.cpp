#include "cli/catalog_views.hpp"

#include "cli/json_cells.hpp"
#include "cli/terminal/table.hpp"
#include "cli/terminal/text.hpp"
#include "common/json/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace evalfleet::cli {

namespace {

using terminal::Align;
using terminal::Table;

std::string score(const json::Value& trial) {
    const auto number = cells::find<double>(trial, "score");
    return number ? fmt::format("{:.3f}", *number) : std::string(cells::kUnknown);
}

std::string milliseconds(const json::Value& trial) {
    const auto number = cells::find<double>(trial, "latency_e2e_ms");
    return number ? fmt::format("{:.0f} ms", *number) : std::string(cells::kUnknown);
}

std::string passed(const json::Value& trial) {
    return cells::find<bool>(trial, "passed").value_or(false) ? "passed" : "failed";
}

std::string names(const json::Value& object, std::string_view name) {
    const auto all = cells::find<std::vector<std::string>>(object, name);
    return all ? fmt::format("{}", fmt::join(*all, ", ")) : std::string(cells::kUnknown);
}

/// The rows of the list `name` in an answer.
template <class Cells>
Result<std::string> table_of(std::string_view answer, std::string_view name, Table table,
                             Width width, const Cells& cells_of) {
    const auto document = json::Document::parse(answer);
    if (!document) return document.error();
    const auto rows = document->root().get<json::Array>(name);
    if (!rows) return rows.error();
    for (const json::Value row : *rows)
        table.add(cells_of(row));
    return table.text(width);
}

/// "  task       In which year ...", further lines below its beginning.
void append_field(std::string& out, std::string_view name, std::string_view value) {
    constexpr std::size_t kIndent = 15;
    out += fmt::format("  {:<{}}", name, kIndent - 2);
    bool is_first = true;
    while (true) {
        const auto end = std::min(value.find('\n'), value.size());
        if (!is_first) out += std::string(kIndent, ' ');
        out += terminal::printable(value.substr(0, end)) + '\n';
        if (end == value.size()) return;
        value.remove_prefix(end + 1);
        is_first = false;
    }
}

std::string scores_of(const job::TrialRecord& trial) {
    const auto mark = [](std::optional<int> points) {
        return points ? fmt::format("{} of 2", *points) : std::string("none");
    };
    std::string line = fmt::format("accuracy {}, faithfulness {}", mark(trial.correctness_score),
                                   mark(trial.faithfulness_score));
    if (trial.sample_score) line += fmt::format(", score {:.3f}", *trial.sample_score);
    return line;
}

std::string cost_of(const job::TrialRecord& trial) {
    std::string line;
    if (trial.latency_e2e_ms) line += fmt::format("{:.1f} ms", *trial.latency_e2e_ms);
    if (trial.total_tokens) line += fmt::format(", {} tokens", *trial.total_tokens);
    if (trial.cost_usd) line += fmt::format(", {:.6f} USD", *trial.cost_usd);
    if (trial.attempts && *trial.attempts > 1)
        line += fmt::format(", {} attempts", *trial.attempts);
    return line.starts_with(", ") ? line.substr(2) : line;
}

void append_trial(std::string& out, const job::TrialRecord& trial) {
    out += fmt::format("\nrepeat {}: {}", trial.repeat, trial.rubric_passed ? "passed" : "failed");
    if (trial.failure_label) out += fmt::format(", {}", to_string(*trial.failure_label));
    out += '\n';
    const auto add = [&out](std::string_view name, const std::optional<std::string>& value) {
        if (value && !value->empty()) append_field(out, name, *value);
    };
    add("answer", trial.answer);
    add("scores", scores_of(trial));
    add("reason", trial.rationale);
    if (trial.error_kind) add("error", std::string(to_string(*trial.error_kind)));
    add("said", trial.error_message);
    add("judge failed", trial.evaluator_error_message);
    add("judge's reply", trial.evaluator_raw_output);
    add("took", cost_of(trial));
    add("request id", trial.provider_request_id);
}

}  // namespace

Result<std::string> trials_table(std::string_view answer, Width width) {
    return table_of(answer, "trials",
                    Table({{"SAMPLE"},
                           {"REPEAT", Align::right, 3},
                           {"RESULT"},
                           {"SCORE", Align::right, 2},
                           {"LABEL", Align::left, 1},
                           {"ERROR", Align::left, 4},
                           {"LATENCY", Align::right, 5},
                           {"TASK", Align::left, 7, true},
                           {"ANSWER", Align::left, 6, true}}),
                    width, [](const json::Value& trial) -> std::vector<std::string> {
                        return {cells::text(trial, "sample_id"),
                                cells::count(trial, "repeat"),
                                passed(trial),
                                score(trial),
                                cells::text(trial, "failure_label"),
                                cells::text(trial, "error_kind"),
                                milliseconds(trial),
                                cells::text(trial, "task_excerpt"),
                                cells::text(trial, "answer_excerpt")};
                    });
}

Result<std::string> datasets_table(std::string_view answer, Width width) {
    const bool is_one = answer.find("\"versions\"") != std::string_view::npos;
    return table_of(answer, is_one ? "versions" : "datasets",
                    Table({{"DATASET"},
                           {"VERSION"},
                           {"SAMPLES", Align::right, 1},
                           {"SIZE", Align::right, 2},
                           {"UPLOADED", Align::left, 3},
                           {"BY", Align::left, 4, true},
                           {"SHA256", Align::left, 5, true}}),
                    width, [](const json::Value& row) -> std::vector<std::string> {
                        return {cells::text(row, "id"),
                                cells::text(row, "version"),
                                cells::count(row, "samples"),
                                cells::bytes(row, "bytes"),
                                cells::moment(row, "uploaded_at"),
                                cells::text(row, "uploaded_by"),
                                cells::text(row, "hash")};
                    });
}

Result<std::string> groups_table(std::string_view answer, Width width) {
    return table_of(answer, "groups",
                    Table({{"GROUP"},
                           {"NAME", Align::left, 3, true},
                           {"STATE"},
                           {"RUNS", Align::right, 1},
                           {"SUBMITTED", Align::left, 2},
                           {"MODELS", Align::left, 4, true},
                           {"PROMPTS", Align::left, 5, true}}),
                    width, [](const json::Value& row) -> std::vector<std::string> {
                        return {cells::text(row, "group_id"),
                                cells::text(row, "name"),
                                cells::text(row, "state"),
                                cells::count(row, "over") + "/" + cells::count(row, "runs"),
                                cells::moment(row, "submitted_at"),
                                names(row, "models"),
                                names(row, "prompts")};
                    });
}

Result<std::string> group_runs_table(std::string_view answer, Width width) {
    const auto document = json::Document::parse(answer);
    if (!document) return document.error();
    const auto runs = document->root().get<json::Array>("runs");
    if (!runs) return runs.error();
    return fmt::format("group  {}\nstate  {}\n\n",
                       terminal::printable(cells::text(document->root(), "group_id")),
                       terminal::printable(cells::text(document->root(), "state"))) +
           runs_table(*runs, width);
}

std::string sample_text(const std::optional<ShownSample>& sample,
                        std::span<const job::TrialRecord> trials) {
    std::string out;
    if (!trials.empty()) {
        const job::TrialRecord& first = trials.front();
        out += fmt::format("sample {} (index {}, {})\n",
                           terminal::printable(first.sample_id.value_or("-")), first.sample_index,
                           terminal::printable(first.task_type));
    }
    if (sample) {
        append_field(out, "task", sample->task);
        if (!sample->context.empty()) append_field(out, "context", sample->context);
        if (!sample->reference.empty()) append_field(out, "reference", sample->reference);
    }
    for (const job::TrialRecord& trial : trials)
        append_trial(out, trial);
    return out;
}

}  // namespace evalfleet::cli
