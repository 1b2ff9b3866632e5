#include "coordinator/report/charts.hpp"
#include "coordinator/report/escape.hpp"
#include "coordinator/report/html_page.hpp"
#include "coordinator/report/judge_words.hpp"
#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace evalfleet::report {

namespace {

constexpr std::size_t kMaxAnswerCharacters = 4000;

std::string escaped(std::string_view text) {
    return escape_markup(text);
}

/// Where a gate's figures lie between 0 and the largest of them.
class Scale {
  public:
    static constexpr double kWidth = 200;

    explicit Scale(const GateView& view) : gate_(*view.gate), ci95_(view.ci95()) {
        end_ = std::max(gate_.threshold, gate_.observed.value.value_or(0));
        if (ci95_) end_ = std::max(end_, ci95_->upper);
        const bool is_bounded = view.unit == Unit::score || view.unit == Unit::share;
        end_ = is_bounded && end_ > 0.5 ? std::max(end_, 1.0) : end_ * 1.15;
        if (end_ <= 0) end_ = 1;
    }

    /// Decoration: the figures stand beside it as text.
    [[nodiscard]] std::string svg() const {
        std::string out = fmt::format(
            "<svg class=\"scale\" viewBox=\"0 0 {} 22\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"rail\" x=\"0\" y=\"9\" width=\"{}\" height=\"4\" "
            "rx=\"2\"/>",
            kWidth, kWidth);
        if (ci95_) {
            const double begin = at(ci95_->lower);
            out += fmt::format(
                "<rect class=\"band\" x=\"{:.2f}\" y=\"6\" width=\"{:.2f}\" height=\"10\" "
                "rx=\"3\"/>",
                begin, std::max(at(ci95_->upper) - begin, 1.0));
        }
        if (gate_.observed.value) {
            out += fmt::format(
                "<rect class=\"dot{}\" x=\"{:.2f}\" y=\"4\" width=\"4\" height=\"14\" rx=\"2\"/>",
                gate_.passed ? "" : " bad", at(*gate_.observed.value) - 2);
        }
        return out + fmt::format(
                         "<line class=\"limit\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"0\" "
                         "y2=\"22\" stroke-dasharray=\"3 2\"/></svg>",
                         at(gate_.threshold));
    }

  private:
    [[nodiscard]] double at(double value) const {
        return std::clamp(value / end_, 0.0, 1.0) * kWidth;
    }

    const job::Gate& gate_;
    std::optional<statistics::Interval> ci95_;
    double end_ = 1;
};

std::string gate_card(const GateView& gate) {
    const bool passed = gate.gate->passed;
    std::string out = fmt::format(
        "<li class=\"card\"><div class=\"gate-title\">{}</div><div class=\"gate-value\">{}<span "
        "class=\"chip{}\">{}</span></div>{}<p class=\"gate-note\">required {}<br>95 % CI {}",
        gate.title, escaped(gate.observed()), passed ? " good" : "",
        passed ? "✓ passed" : "✗ failed", Scale(gate).svg(), escaped(gate.required()),
        escaped(gate.interval()));
    if (!gate.no_interval.empty()) out += "<br>no interval: " + escaped(gate.no_interval);
    const std::string open = gate.why_open();
    if (!open.empty()) {
        out += fmt::format("<br><span class=\"unsure\">open: {}</span>", escaped(open));
    }
    if (const std::string always = gate.after_early_stop(); !always.empty())
        out += fmt::format("<br><span class=\"unsure\">ended early: {}</span>", escaped(always));
    if (gate.gate->threshold != gate.gate->default_threshold) {
        out += fmt::format("<br>overridden; the default is {}",
                           escaped(show(gate.gate->default_threshold, gate.unit)));
    }
    return out + "</p></li>\n";
}

std::string_view side(const Column& column) {
    return column.align == Align::left ? " class=\"left\"" : "";
}

std::string sort_key(const Table& table, std::size_t row, std::size_t column) {
    if (table.keys.empty() || !table.keys[row][column]) return "";
    return fmt::format(" data-k=\"{}\"", *table.keys[row][column]);
}

// What a narrow screen shows beside the cell, where there is no room for columns.
std::string title_key(const Column& column) {
    if (column.title.empty()) return "";
    return fmt::format(" data-t=\"{}\"", escaped(column.title));
}

std::string table_head(const Table& table) {
    std::string out = "<thead><tr>";
    for (const Column& column : table.columns) {
        if (column.title.empty()) {
            out += "<td></td>";
            continue;
        }
        out += fmt::format("<th scope=\"col\"{}>{}</th>", side(column), escaped(column.title));
    }
    if (!table.shares.empty()) out += "<td class=\"bar\"></td>";
    return out + "</tr></thead>\n";
}

std::string table_row(const Table& table, std::size_t at) {
    std::string out = table.is_faint(at) ? "<tr class=\"faint\">" : "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string_view tag = i == 0 ? "th scope=\"row\"" : "td";
        out += fmt::format("<{}{}{}{}>{}</{}>", tag, side(table.columns[i]), sort_key(table, at, i),
                           i == 0 ? "" : title_key(table.columns[i]), escaped(table.rows[at][i]),
                           i == 0 ? "th" : "td");
    }
    if (!table.shares.empty()) {
        out += fmt::format("<td class=\"bar\"><span style=\"width:{:.1f}%\"></span></td>",
                           table.shares[at] * 100);
    }
    return out + "</tr>\n";
}

std::string table_card(const Table& table) {
    if (table.rows.empty()) return "";
    const bool has_titles = std::any_of(table.columns.begin(), table.columns.end(),
                                        [](const Column& column) { return !column.title.empty(); });
    std::string out = fmt::format(
        "<section class=\"card\"><h2>{}</h2><div class=\"scroll\"><table class=\"{}{}\">",
        escaped(table.title), has_titles ? "titled" : "plain",
        table.keys.empty() ? "" : " sortable");
    if (has_titles) out += table_head(table);
    out += "<tbody>";
    for (std::size_t at = 0; at < table.rows.size(); ++at)
        out += table_row(table, at);
    out += "</tbody></table></div>";
    if (!table.note.empty()) out += fmt::format("<p class=\"note\">{}</p>", escaped(table.note));
    return out + "</section>\n";
}

std::string block(std::string_view caption, const std::optional<std::string>& text) {
    if (!text || text->empty()) return "";
    return fmt::format("<div class=\"caption\">{}</div><pre tabindex=\"0\">{}</pre>", caption,
                       escaped(shorten(*text, kMaxAnswerCharacters)));
}

std::string title_of(const job::TrialRecord& record) {
    const auto score = [](const std::optional<int>& value) {
        return value ? std::to_string(*value) : std::string(kUnknown);
    };
    return fmt::format("{} #{}<span class=\"label\">{} · accuracy {} · faithfulness {} · {}</span>",
                       escaped(record.sample_id.value_or("")), record.repeat,
                       job::to_string(record.failure_label.value()),
                       score(record.correctness_score), score(record.faithfulness_score),
                       show(record.latency_e2e_ms, Unit::milliseconds));
}

std::string blocks(const job::TrialRecord& record) {
    return block("Answer", record.answer) + block("Judge", record.rationale) +
           block("Error", record.error_message) +
           block("Judge's reply", record.evaluator_raw_output) +
           block("Why replies of the judge were rejected", rejected_replies(record)) +
           block("Why there is no verdict", record.evaluator_error_message);
}

std::string question(const job::Sample& sample) {
    std::string out;
    for (const job::Message& message : sample.messages)
        out +=
            block(fmt::format("Chat: {}", job::to_string(message.role)), job::shown_text(message));
    if (sample.messages.empty()) out += block("Question", sample.task);
    return out + block("Context", sample.context) + block("Reference", sample.reference_answer);
}

// Long, and made of what stands above it.
std::string prompt_block(const job::PromptTemplateInfo& prompt, const job::Sample& sample) {
    return fmt::format(
        "<details class=\"prompt\"><summary>Prompt as it was sent</summary><pre "
        "tabindex=\"0\">{}</pre></details>",
        escaped(shorten(texts_of(prompt, sample).prompt, kMaxAnswerCharacters)));
}

/// Trials of one sample, the worst first.
using Repeats = std::vector<const job::TrialRecord*>;

std::string example(const Repeats& repeats, const Report& report) {
    std::string out = fmt::format("<details><summary>{}", title_of(*repeats.front()));
    if (repeats.size() > 1) out += fmt::format(" and {} more", repeats.size() - 1);
    out += "</summary>";
    const auto sample = report.samples.find(repeats.front()->sample_index);
    if (sample != report.samples.end())
        out += question(sample->second) +
               prompt_block(report.metadata.prompt_template, sample->second);
    for (const job::TrialRecord* record : repeats) {
        if (repeats.size() > 1) out += fmt::format("<h3>{}</h3>", title_of(*record));
        out += blocks(*record);
    }
    return out + "</details>\n";
}

// In the order of the worst trial of each.
std::vector<Repeats> by_sample(const Repeats& examples) {
    std::vector<Repeats> samples;
    std::map<std::int64_t, std::size_t> places;
    for (const job::TrialRecord* record : examples) {
        const auto [place, is_new] = places.emplace(record->sample_index, samples.size());
        if (is_new) samples.emplace_back();
        samples[place->second].push_back(record);
    }
    return samples;
}

std::string examples_card(const Report& report) {
    const auto examples = report.findings.examples();
    if (examples.empty()) return "";
    std::string out = fmt::format(
        "<section class=\"card\"><h2>Worst trials</h2><p class=\"note\">{} of the {} trials that "
        "did "
        "not pass by the Rubric or by the Specification: the lowest scores of each label. All of "
        "them are in records.jsonl.</p>",
        show_count(std::uint64_t{examples.size()}), show_count(report.findings.failed()));
    for (const Repeats& repeats : by_sample(examples))
        out += example(repeats, report);
    return out + "</section>\n";
}

std::string charts_card(const Report& report) {
    std::string out =
        "<section class=\"card\"><h2>Distributions</h2>" + score_charts(report.summary.all.spec);
    const std::string latencies = latency_chart(report);
    if (!latencies.empty()) {
        out += "<figure><figcaption>Latency, end to end</figcaption>" + latencies + "</figure>";
    }
    return out + "</section>\n";
}

std::string warnings(const Outline& outline) {
    std::string out;
    for (const std::string& warning : outline.warnings)
        out += "<p class=\"warning\" role=\"note\">" + escaped(warning) + "</p>\n";
    return out;
}

std::string facts_card(const Outline& outline) {
    std::string out = "<section class=\"card\"><h2>Run</h2><dl class=\"facts\">";
    for (const auto& [name, value] : outline.facts)
        out += fmt::format("<dt>{}</dt><dd>{}</dd>", name, escaped(value));
    return out + "</dl></section>\n";
}

std::string notes_card(const Outline& outline) {
    if (outline.notes.empty()) return "";
    std::string out = "<section class=\"card\"><h2>Notes</h2><ul class=\"notes\">";
    for (const std::string& note : outline.notes)
        out += "<li>" + escaped(note) + "</li>";
    return out + "</ul></section>\n";
}

/// Scores, latency, tokens, failures and outcomes stand side by side; wide tables below them.
std::string tables(const Outline& outline) {
    constexpr std::size_t kSideBySide = 6;
    std::string out = "<div class=\"columns\">";
    for (std::size_t i = 0; i < outline.tables.size(); ++i) {
        if (i == kSideBySide) out += "</div>\n";
        out += table_card(outline.tables[i]);
    }
    return outline.tables.size() <= kSideBySide ? out + "</div>\n" : out;
}

}  // namespace

std::string to_html(const Report& report) {
    const Outline outline = make_outline(report);
    std::string out = html_begin(outline.headline + ": " + outline.title);
    out += fmt::format(
        "<header class=\"verdict{}\"><h1>{}</h1><strong>{}</strong><p>{}</p></header>\n",
        outline.is_ready ? " ready" : "", escaped(outline.title), outline.headline,
        escaped(outline.sentence));
    out += warnings(outline);
    out += "<ul class=\"gates\" aria-label=\"Gates\">\n";
    for (const GateView& gate : outline.gates)
        out += gate_card(gate);
    out += "</ul>\n" + charts_card(report) + tables(outline) + examples_card(report) +
           notes_card(outline) + facts_card(outline);
    return out + html_end(fmt::format("evalfleet {} · {}", report.metadata.code_version,
                                      report.metadata.timestamp_utc));
}

}  // namespace evalfleet::report
