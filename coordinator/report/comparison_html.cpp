#include "coordinator/report/comparison_html.hpp"

#include "coordinator/reduce/comparison_json.hpp"
#include "coordinator/report/difference_html.hpp"
#include "coordinator/report/escape.hpp"
#include "coordinator/report/html_page.hpp"
#include "coordinator/report/numbers.hpp"
#include "coordinator/report/word_diff.hpp"

#include <fmt/format.h>

namespace evalfleet::report {

namespace {

constexpr std::size_t kMaxTextCharacters = 4000;

std::string_view headline_of(reduce::Decision decision) {
    switch (decision) {
        case reduce::Decision::worse:
            return "WORSE";
        case reduce::Decision::no_worse:
            return "NO WORSE";
        case reduce::Decision::nothing_found:
            return "NOTHING FOUND";
        case reduce::Decision::cannot_tell:
            break;
    }
    return "CANNOT TELL";
}

std::string_view look_of(reduce::Decision decision) {
    if (decision == reduce::Decision::no_worse) return " ready";
    return decision == reduce::Decision::worse ? "" : " plain";
}

std::string block(std::string_view caption, const std::string& text) {
    if (text.empty()) return "";
    return fmt::format("<div class=\"caption\">{}</div><pre tabindex=\"0\">{}</pre>", caption,
                       escape_markup(shorten(text, kMaxTextCharacters)));
}

// What one side says, with what the other has not.
std::string side_of(std::string_view caption, const std::vector<DiffPiece>& pieces,
                    DiffPiece::Kind own) {
    std::string out = fmt::format("<div class=\"caption\">{}</div><pre tabindex=\"0\">", caption);
    const std::string_view tag = own == DiffPiece::Kind::gone ? "del" : "ins";
    for (const DiffPiece& piece : pieces) {
        if (piece.kind == DiffPiece::Kind::same) out += escape_markup(piece.text);
        if (piece.kind == own) out += fmt::format("<{0}>{1}</{0}>", tag, escape_markup(piece.text));
    }
    return out + "</pre>";
}

std::string answers_of(const ComparedTrial& trial) {
    const auto pieces =
        word_diff(shorten(trial.base.value_or("no answer"), kMaxTextCharacters),
                  shorten(trial.candidate.value_or("no answer"), kMaxTextCharacters));
    return "<div class=\"sides\"><div>" +
           side_of(trial.now_passes ? "Base ✗" : "Base ✓", pieces, DiffPiece::Kind::gone) +
           "</div><div>" +
           side_of(trial.now_passes ? "Candidate ✓" : "Candidate ✗", pieces,
                   DiffPiece::Kind::added) +
           "</div></div>";
}

// One entry a sample, with its repeats.
std::string flips_card(const reduce::RunComparison& comparison, const ComparedRuns& runs) {
    std::size_t gained = 0;
    for (const reduce::FlippedTrial& trial : comparison.flipped)
        gained += trial.now_passes ? 1 : 0;
    std::string out = fmt::format(
        "<section class=\"card\"><h2>What flipped</h2><p class=\"note\">{} now pass and {} now "
        "fail, counted for the Rubric's and for the Specification's condition.{}</p>",
        show_count(std::uint64_t{gained}),
        show_count(std::uint64_t{comparison.flipped.size() - gained}),
        runs.flipped.empty() ? "" : " Those of the Rubric's, as far as they are shown here:");
    for (std::size_t i = 0; i < runs.flipped.size();) {
        const ComparedTrial& first = runs.flipped[i];
        out +=
            fmt::format("<details><summary>{}<span class=\"label\">{}</span></summary>",
                        escape_markup(first.name), first.now_passes ? "now passes" : "now fails");
        out += block("Question", first.question) + block("Reference", first.reference);
        for (; i < runs.flipped.size() && runs.flipped[i].name == first.name; ++i) {
            out += fmt::format("<h3>Repeat {}, {}</h3>", runs.flipped[i].repeat,
                               runs.flipped[i].now_passes ? "now passes" : "now fails");
            out += answers_of(runs.flipped[i]);
        }
        out += "</details>\n";
    }
    return out + "</section>\n";
}

std::string slices_card(const std::vector<MovedSlice>& slices) {
    if (slices.empty()) return "";
    std::string out =
        "<section class=\"card\"><h2>Slices that moved most</h2><p class=\"note\">Pass rates, the "
        "largest differences first. Described, not tested: some slice always moves most.</p>"
        "<div class=\"scroll\"><table class=\"titled\"><thead><tr><th scope=\"col\" "
        "class=\"left\">Slice</th><th scope=\"col\">Trials</th><th scope=\"col\">Base</th>"
        "<th scope=\"col\">Candidate</th><th scope=\"col\">Difference</th></tr></thead>\n<tbody>";
    for (const MovedSlice& slice : slices)
        out += fmt::format(
            "<tr><th scope=\"row\" class=\"left\">{}</th><td data-t=\"Trials\">{}</td>"
            "<td data-t=\"Base\">{}</td><td data-t=\"Candidate\">{}</td>"
            "<td data-t=\"Difference\">{:+.1f} %</td></tr>\n",
            escape_markup(slice.name), show_count(slice.trials), show(slice.base, Unit::share),
            show(slice.candidate, Unit::share), 100 * (slice.candidate - slice.base));
    return out + "</tbody></table></div></section>\n";
}

}  // namespace

std::string to_html(const reduce::RunComparison& comparison, const ComparedRuns& runs) {
    const reduce::Decision decision = comparison.decision();
    std::string out = html_begin(
        fmt::format("{}: {} against {}", headline_of(decision), runs.candidate, runs.base));
    out += fmt::format(
        "<header class=\"verdict{}\"><h1>{} against {}</h1><strong>{}</strong><p>{}</p></header>\n",
        look_of(decision), escape_markup(runs.candidate), escape_markup(runs.base),
        headline_of(decision), escape_markup(reduce::sentence_of(comparison.metrics)));
    for (const std::string& reason : comparison.incomparable)
        out += "<p class=\"warning\" role=\"note\">Not comparable: " + escape_markup(reason) +
               "</p>\n";
    out += fmt::format(
        "<section class=\"card\"><h2>Metrics</h2>{}<p class=\"note\">{} trials of {} samples that "
        "both runs have (base {}, candidate {}). Intervals are of paired differences; p-values "
        "after Holm.</p></section>\n",
        difference_table(comparison.metrics), show_count(comparison.shared_trials),
        show_count(comparison.shared_samples), show_count(comparison.base_trials),
        show_count(comparison.candidate_trials));
    return out + slices_card(runs.slices) + flips_card(comparison, runs) +
           html_end("evalfleet compare " + runs.base + " " + runs.candidate);
}

}  // namespace evalfleet::report
