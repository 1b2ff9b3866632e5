#include "coordinator/reduce/comparison_json.hpp"
#include "coordinator/reduce/group_tables.hpp"
#include "coordinator/report/escape.hpp"
#include "coordinator/report/group_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::report {

namespace {

void append_row(std::string& out, const reduce::GroupRow& row) {
    out += '|';
    for (const std::string& cell : row)
        out += " " + escape_markdown(cell) + " |";
    out += '\n';
}

void append_table(std::string& out, const std::vector<reduce::GroupRow>& rows) {
    out += '\n';
    append_row(out, rows.front());
    out += "| ---: | --- | ---: | ---: | ---: | --- |\n";
    std::for_each(rows.begin() + 1, rows.end(),
                  [&](const reduce::GroupRow& row) { append_row(out, row); });
}

}  // namespace

std::string to_markdown(const reduce::GroupSummary& summary) {
    std::string out =
        fmt::format("## Group {}: {} runs\n", escape_markdown(summary.group_id.value_or("-")),
                    summary.runs.size());
    for (const std::string& reason : summary.incomparable)
        out += "\n**Not comparable:** " + escape_markdown(reason) + "\n";
    const auto tables = reduce::tables_of(summary);
    append_table(out, tables.front());
    out += '\n';
    for (const reduce::RankedRun& ranked : summary.ranking) {
        if (ranked.run == 0) continue;
        out += "- " + escape_markdown(summary.runs[ranked.run].run_id) + ": " +
               escape_markdown(reduce::sentence_of(ranked.differences)) + '\n';
    }
    std::for_each(tables.begin() + 1, tables.end(),
                  [&](const auto& table) { append_table(out, table); });
    return out;
}

}  // namespace evalfleet::report
