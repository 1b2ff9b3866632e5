#include "coordinator/report/difference_html.hpp"

#include "coordinator/reduce/comparison_json.hpp"
#include "coordinator/report/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::report {

namespace {

using reduce::Finding;
using reduce::MetricDifference;

constexpr double kWidth = 200;

std::string number(const std::optional<double>& value, std::string_view format = "{:.4g}") {
    return value ? fmt::format(fmt::runtime(format), *value) : "–";
}

std::string_view look_of(Finding finding) {
    if (finding == Finding::worse) return " bad";
    return finding == Finding::better ? " good" : " plain";
}

std::string verdict_of(const MetricDifference& row) {
    switch (row.verdict) {
        case Finding::worse:
            return "✗ worse";
        case Finding::better:
            return "✓ better";
        case Finding::no_worse:
            return "✓ no worse than its margin";
        case Finding::cannot_tell:
            break;
    }
    return "cannot tell: " + row.reason.value_or("");
}

// Nothing in the middle. Decoration: the figures stand beside it as text.
std::string drawn(const MetricDifference& row) {
    if (!row.difference) return "";
    double end = std::abs(*row.difference);
    if (row.ci95) end = std::max({end, std::abs(row.ci95->lower), std::abs(row.ci95->upper)});
    if (row.margin) end = std::max(end, *row.margin);
    if (!(end > 0)) end = 1;
    const auto at = [end](double value) {
        return (1 + std::clamp(value / end, -1.0, 1.0)) * kWidth / 2;
    };
    std::string out = fmt::format(
        "<svg class=\"scale\" viewBox=\"-4 0 {} 22\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><rect class=\"rail\" x=\"0\" y=\"10\" width=\"{}\" "
        "height=\"2\"/>",
        kWidth + 8, kWidth);
    if (row.ci95) {
        const double begin = at(row.ci95->lower);
        out += fmt::format(
            "<rect class=\"band\" x=\"{:.2f}\" y=\"6\" width=\"{:.2f}\" height=\"10\" "
            "rx=\"3\"/>",
            begin, std::max(at(row.ci95->upper) - begin, 1.0));
    }
    return out + fmt::format(
                     "<rect class=\"dot{0}\" x=\"{1:.2f}\" y=\"4\" width=\"4\" height=\"14\" "
                     "rx=\"2\"/><line class=\"limit\" x1=\"{2}\" x2=\"{2}\" y1=\"0\" "
                     "y2=\"22\" stroke-dasharray=\"3 2\"/></svg>",
                     look_of(row.verdict), at(*row.difference) - 2, kWidth / 2);
}

std::string interval_of(const MetricDifference& row) {
    if (!row.ci95) return "–";
    return fmt::format("{} to {}", reduce::change(row.scale, row.ci95->lower),
                       reduce::change(row.scale, row.ci95->upper));
}

std::string table_row(const MetricDifference& row) {
    return fmt::format(
        "<tr><th scope=\"row\" class=\"left metric\">{}</th><td data-t=\"Base\">{}</td>"
        "<td data-t=\"Candidate\">{}</td><td data-t=\"Difference\">{}</td>"
        "<td data-t=\"95 % CI\">{}</td><td class=\"plot\">{}</td><td data-t=\"p (Holm)\">{}</td>"
        "<td class=\"left\" data-t=\"Finding\"><span class=\"finding{}\">{}</span></td></tr>\n",
        escape_markup(row.name), number(row.base), number(row.candidate),
        row.difference ? reduce::change(row.scale, *row.difference) : "–", interval_of(row),
        drawn(row), number(row.p_value_holm, "{:.3g}"), look_of(row.verdict),
        escape_markup(verdict_of(row)));
}

}  // namespace

std::string difference_table(std::span<const MetricDifference> rows) {
    std::string out =
        "<div class=\"scroll\"><table class=\"titled\"><thead><tr>"
        "<th scope=\"col\" class=\"left\">Metric</th><th scope=\"col\">Base</th>"
        "<th scope=\"col\">Candidate</th><th scope=\"col\">Difference</th>"
        "<th scope=\"col\">95 % CI</th><td></td><th scope=\"col\">p (Holm)</th>"
        "<th scope=\"col\" class=\"left\">Finding</th></tr></thead>\n<tbody>";
    for (const MetricDifference& row : rows)
        out += table_row(row);
    return out + "</tbody></table></div>";
}

}  // namespace evalfleet::report
