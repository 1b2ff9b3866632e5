#include "coordinator/report/escape.hpp"
#include "coordinator/report/judge_words.hpp"
#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

namespace evalfleet::report {

namespace {

constexpr std::size_t kMaxExamples = 20;
constexpr std::size_t kMaxAnswerCharacters = 200;

enum class Look { plain, faint };

/// Markdown has no grey: what says too little is in italics.
std::string table_row(const std::vector<std::string>& cells, Look look = Look::plain) {
    const std::string mark = look == Look::faint ? "*" : "";
    std::string line = "|";
    for (const std::string& cell : cells)
        line += cell.empty() ? "  |" : " " + mark + escape_markdown(cell) + mark + " |";
    return line + "\n";
}

void append(std::string& out, const Table& table) {
    if (table.rows.empty()) return;
    out += fmt::format("\n## {}\n\n", escape_markdown(table.title));
    std::vector<std::string> titles;
    std::string rule = "|";
    for (const Column& column : table.columns) {
        titles.push_back(column.title);
        rule += column.align == Align::left ? " :-- |" : " --: |";
    }
    out += table_row(titles) + rule + "\n";
    for (std::size_t at = 0; at < table.rows.size(); ++at)
        out += table_row(table.rows[at], table.is_faint(at) ? Look::faint : Look::plain);
    if (!table.note.empty()) out += "\n" + escape_markdown(table.note) + "\n";
}

std::string question_of(const job::TrialRecord& record, const Samples& samples) {
    const auto sample = samples.find(record.sample_index);
    return sample == samples.end() ? "" : shorten(sample->second.task, kMaxAnswerCharacters);
}

Table examples_table(const Report& report) {
    Table table{"Examples of failed trials",
                "",
                {{"Sample", Align::left},
                 {"Repeat"},
                 {"Label", Align::left},
                 {"Question", Align::left},
                 {"Answer", Align::left},
                 {"Judge", Align::left}},
                {},
                {}};
    for (const job::TrialRecord* record : report.findings.examples()) {
        if (table.rows.size() == kMaxExamples) break;
        const std::string said = record->answer.value_or(record->error_message.value_or(""));
        table.rows.push_back({record->sample_id.value_or(""), std::to_string(record->repeat),
                              std::string(job::to_string(record->failure_label.value())),
                              question_of(*record, report.samples),
                              shorten(said, kMaxAnswerCharacters),
                              shorten(judge_words(*record), kMaxAnswerCharacters)});
    }
    return table;
}

}  // namespace

std::string to_markdown(const Report& report) {
    const Outline outline = make_outline(report);
    std::string out = fmt::format("# {}: {}\n\n{} **{}** {}\n\n", escape_markdown(outline.title),
                                  outline.headline, outline.is_ready ? "✅" : "❌", outline.headline,
                                  escape_markdown(outline.sentence));
    for (const std::string& warning : outline.warnings)
        out += "> ⚠️ " + escape_markdown(warning) + "\n\n";
    append(out, gates_table(outline.gates));
    if (!outline.notes.empty()) out += "\n## Notes\n\n";
    for (const std::string& note : outline.notes)
        out += "- " + escape_markdown(note) + "\n";
    // Short enough for a comment on a pull request; who wants more unfolds it.
    out += "\n<details><summary>What ran, all figures, and examples of failed trials</summary>\n\n";
    for (const auto& [name, value] : outline.facts)
        out += fmt::format("- **{}**: {}\n", name, escape_markdown(value));
    for (const Table& table : outline.tables)
        append(out, table);
    append(out, examples_table(report));
    return out + "\n</details>\n";
}

}  // namespace evalfleet::report
