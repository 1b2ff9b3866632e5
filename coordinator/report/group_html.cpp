#include "coordinator/reduce/comparison_json.hpp"
#include "coordinator/reduce/group_tables.hpp"
#include "coordinator/report/difference_html.hpp"
#include "coordinator/report/escape.hpp"
#include "coordinator/report/group_report.hpp"
#include "coordinator/report/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::report {

namespace {

std::string_view side(std::size_t column) {
    return column == 1 || column == 5 ? " class=\"left\"" : "";
}

std::string head_row(const reduce::GroupRow& row) {
    std::string out = "<thead><tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i].empty())
            out += "<td></td>";
        else
            out += fmt::format("<th scope=\"col\"{}>{}</th>", side(i), escape_markup(row[i]));
    }
    return out + "</tr></thead>\n";
}

std::string body_row(const reduce::GroupRow& head, const reduce::GroupRow& row) {
    std::string out = "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string_view tag = i == 1 ? "th scope=\"row\"" : "td";
        out += fmt::format("<{}{} data-t=\"{}\">{}</{}>", tag, side(i), escape_markup(head[i]),
                           escape_markup(row[i]), i == 1 ? "th" : "td");
    }
    return out + "</tr>\n";
}

std::string table_card(std::string_view title, const std::vector<reduce::GroupRow>& rows) {
    std::string out = fmt::format(
        "<section class=\"card\"><h2>{}</h2><div class=\"scroll\"><table class=\"titled\">",
        escape_markup(title));
    out += head_row(rows.front()) + "<tbody>";
    std::for_each(rows.begin() + 1, rows.end(),
                  [&](const reduce::GroupRow& row) { out += body_row(rows.front(), row); });
    return out + "</tbody></table></div></section>\n";
}

std::string differences_card(const reduce::GroupRun& run, const reduce::RankedRun& ranked) {
    return fmt::format(
        "<section class=\"card\"><h2>{}, {} against the baseline</h2><p class=\"note\">{} · "
        "{}</p>{}</section>\n",
        escape_markup(run.model), escape_markup(run.prompt_template), escape_markup(run.run_id),
        escape_markup(reduce::sentence_of(ranked.differences)),
        difference_table(ranked.differences));
}

}  // namespace

std::string to_html(const reduce::GroupSummary& summary) {
    const std::string id = summary.group_id.value_or("–");
    const reduce::GroupRun& best = summary.runs[summary.ranking.front().run];
    std::string out = html_begin("Group " + id);
    out += fmt::format(
        "<header class=\"verdict plain\"><h1>Group {}, {} runs</h1><strong>{}</strong><p>{} ranks "
        "first by aggregate score. Whether that is more than chance stands under its "
        "differences.</p></header>\n",
        escape_markup(id), summary.runs.size(),
        escape_markup(best.model + ", " + best.prompt_template), escape_markup(best.run_id));
    for (const std::string& reason : summary.incomparable)
        out += "<p class=\"warning\" role=\"note\">Not comparable: " + escape_markup(reason) +
               "</p>\n";
    const auto tables = reduce::tables_of(summary);
    out += table_card("Ranking", tables.front());
    for (const reduce::RankedRun& ranked : summary.ranking)
        if (ranked.run != 0) out += differences_card(summary.runs[ranked.run], ranked);
    std::for_each(tables.begin() + 1, tables.end(),
                  [&](const auto& rows) { out += table_card("By " + rows.front()[1], rows); });
    return out + html_end("evalfleet group " + id);
}

}  // namespace evalfleet::report
