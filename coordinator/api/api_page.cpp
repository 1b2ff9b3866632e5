#include "common/version/version.hpp"
#include "coordinator/api/openapi.hpp"
#include "coordinator/report/escape.hpp"

#include <map>
#include <vector>

namespace evalfleet::api {

namespace {

using report::escape_markup;

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>evalfleet API</title><style>
:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0}
summary{cursor:pointer;padding:.5rem .75rem;display:flex;gap:.75rem;flex-wrap:wrap}
summary b{min-width:4.5rem}summary span{opacity:.75;margin-left:auto}
code{font:13px ui-monospace,monospace}
table{border-collapse:collapse;margin:.25rem .75rem 1rem;width:calc(100% - 1.5rem)}
td,th{text-align:left;padding:.25rem .75rem .25rem 0;border-top:1px solid var(--soft);vertical-align:top}
p{margin:.25rem .75rem}
</style></head><body>
)";

void add_row(std::string& page, std::string_view name, std::string_view kind,
             std::string_view text) {
    page += "<tr><td><code>" + escape_markup(name) + "</code></td><td>" + escape_markup(kind) +
            "</td><td>" + escape_markup(text) + "</td></tr>\n";
}

void add_parameters(std::string& page, const RouteSpec& spec) {
    if (spec.query.empty() && spec.headers.empty() && spec.body_type.empty()) return;
    page += "<table><tr><th>takes</th><th></th><th></th></tr>\n";
    for (const Parameter& parameter : spec.query)
        add_row(page, parameter.name, parameter.required ? "query, required" : "query",
                parameter.description);
    for (const Parameter& parameter : spec.headers)
        add_row(page, parameter.name, "header", parameter.description);
    if (!spec.body_type.empty()) add_row(page, "body", spec.body_type, spec.body_schema);
    page += "</table>\n";
}

void add_answers(std::string& page, const RouteSpec& spec) {
    page += "<table><tr><th>answers</th><th></th><th></th></tr>\n";
    for (const Answer& answer : spec.answers)
        add_row(page, std::to_string(answer.status),
                answer.schema.empty() ? answer.content_type : answer.schema, answer.description);
    page += "</table>\n";
}

void add_route(std::string& page, const RouteSpec& spec) {
    page += "<details id=\"" + escape_markup(spec.id) + "\"><summary><b>" +
            escape_markup(spec.method) + "</b> <code>" +
            escape_markup(described_path(spec.pattern)) + "</code> <span>" +
            escape_markup(spec.role ? to_string(*spec.role) : "open to all") +
            "</span></summary>\n<p>" + escape_markup(spec.summary) + ".</p>\n";
    add_parameters(page, spec);
    add_answers(page, spec);
    page += "</details>\n";
}

}  // namespace

std::string api_page(const RouteTable& table) {
    std::vector<std::string> sections;
    std::map<std::string, std::vector<const RouteSpec*>> by_section;
    for (const RouteTable::Route& route : table.routes()) {
        if (!by_section.contains(route.spec.section)) sections.push_back(route.spec.section);
        by_section[route.spec.section].push_back(&route.spec);
    }
    std::string page(kHead);
    page += "<h1>evalfleet API</h1>\n<p>Version " + escape_markup(build_info().version) +
            ". For programs: <a href=\"/api/v1/openapi.json\">openapi.json</a>.</p>\n";
    for (const std::string& section : sections) {
        page += "<h2>" + escape_markup(section) + "</h2>\n";
        for (const RouteSpec* spec : by_section[section])
            add_route(page, *spec);
    }
    return page + "</body></html>\n";
}

}  // namespace evalfleet::api
