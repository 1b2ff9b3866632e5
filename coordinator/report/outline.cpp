#include "coordinator/report/outline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace evalfleet::report {

namespace {

using job::RunMetadata;

std::string plural(std::uint64_t count, std::string_view one) {
    return fmt::format("{} {}{}", show_count(count), one, count == 1 ? "" : "s");
}

std::string dataset_name(const RunMetadata& run) {
    std::string name = run.dataset_id.value_or("dataset");
    if (run.dataset_version) name += " " + *run.dataset_version;
    return fmt::format("{} (sha256 {}…)", name, run.dataset_hash.substr(0, 12));
}

std::string judge_name(const RunMetadata& run) {
    if (!run.evaluator_model) return "labels by people, " + run.evaluator_version.value_or("");
    const std::string profile =
        run.evaluator_profile ? std::string(job::to_string(*run.evaluator_profile)) : "";
    return fmt::format("{}, {}", run.evaluator_model->id(), profile);
}

std::vector<std::pair<std::string, std::string>> make_facts(const Report& report) {
    const RunMetadata& run = report.metadata;
    std::vector<std::pair<std::string, std::string>> facts{
        {"Run", run.run_id},
        {"Model", run.model.id()},
        {"Dataset", dataset_name(run)},
        {"Prompt", fmt::format("{} v{}", run.prompt_template.id, run.prompt_template.version)},
        {"Judge", judge_name(run)},
        {"Trials", fmt::format("{} ({} × {})", show_count(report.summary.all.rubric.total_count),
                               plural(static_cast<std::uint64_t>(run.sample_count), "sample"),
                               plural(static_cast<std::uint64_t>(run.repeats), "repeat"))},
        {"Policy", fmt::format("sha256 {}…", report.summary.policy_hash.substr(0, 12))},
        {"Submitted", run.timestamp_utc},
    };
    if (run.description) facts.emplace_back("Description", *run.description);
    if (!run.run_labels.empty()) facts.emplace_back("Labels", job::labels_text(run.run_labels));
    return facts;
}

std::string sentence_of_gates(const std::vector<GateView>& gates) {
    std::vector<std::string> failed;
    std::vector<std::string> open;
    for (const GateView& gate : gates) {
        if (!gate.gate->passed) failed.push_back(gate.title);
        if (!gate.is_decided()) open.push_back(gate.title);
    }
    std::string out = "All four gates passed";
    if (!failed.empty()) {
        out = failed.size() == 1
                  ? "One gate failed: "
                  : fmt::format("{} of {} gates failed: ", failed.size(), gates.size());
        out += fmt::format("{}", fmt::join(failed, ", "));
    }
    if (!open.empty()) {
        out += fmt::format("; still open: {}", fmt::join(open, ", "));
    }
    return out + ".";
}

std::string verdict_sentence(const std::vector<GateView>& gates, const Report& report) {
    if (!is_measured(report)) return unmeasured_sentence(report);
    const std::string of_gates = sentence_of_gates(gates);
    if (!report.baseline) return of_gates;
    return fmt::format("{} The run is {}.", of_gates, report.baseline->text);
}

std::string headline(const Report& report) {
    const job::Measured measured = report.summary.extra.could_measure;
    if (measured == job::Measured::not_measured) return "NOT MEASURED";
    if (report.summary.extra.is_incomplete()) return "INCOMPLETE";
    if (measured == job::Measured::partial) return "PARTLY MEASURED";
    return is_ready(report) ? "RELEASE READY" : "NOT READY";
}

/// Names that a provider reported, with their trials; of many the first, and how many there are.
void warn_of_drift(std::string_view what, const std::map<std::string, std::uint64_t>& reported,
                   std::uint64_t other_trials, std::vector<std::string>& warnings) {
    constexpr std::size_t kMostNamed = 8;
    if (reported.size() < 2) return;
    std::vector<std::string> named;
    std::uint64_t rest = other_trials;
    for (const auto& [name, count] : reported) {
        if (named.size() < kMostNamed)
            named.push_back(fmt::format("{} ({})", name, plural(count, "trial")));
        else
            rest += count;
    }
    if (rest > 0) named.push_back(fmt::format("others ({})", plural(rest, "trial")));
    warnings.push_back(fmt::format("The provider answered with more than one {}: {}.", what,
                                   fmt::join(named, ", ")));
}

void warn(const Report& report, std::vector<std::string>& warnings) {
    const RunMetadata& run = report.metadata;
    const job::Extra& extra = report.summary.extra;
    if (extra.is_incomplete()) {
        warnings.push_back("The run was stopped early: figures are over the trials it made.");
    }
    if (extra.saved_calls) {
        warnings.push_back(
            "The run ended early, so its confidence intervals are not of a fixed size and too "
            "narrow; those that are always valid stand with the gates.");
    }
    if (run.early_stop_note)
        warnings.push_back("While the run went on, " + *run.early_stop_note + ".");
    if (run.incomplete_reason) warnings.push_back("Incomplete: " + *run.incomplete_reason + ".");
    if (const std::uint64_t cut = report.findings.cut_prompts(); cut > 0) {
        warnings.push_back(
            fmt::format("The prompts of {} were most likely cut, the model's or the judge's: they "
                        "have more tokens than the server's context. Set options.num_ctx in "
                        "generation.extra, or in judge.generation.extra.",
                        plural(cut, "trial")));
    }
    if (run.judged_answers == job::JudgedAnswer::redacted) {
        warnings.push_back(
            "The judge saw redacted answers as they are stored, not what the model "
            "said.");
    }
    if (!run.pinned) {
        warnings.push_back("The model is not pinned to a version: this run cannot be repeated.");
    }
    warn_of_drift("model version", extra.model_versions_reported, extra.model_versions_other_count,
                  warnings);
    warn_of_drift("build (system_fingerprint)", extra.system_fingerprints_reported,
                  extra.system_fingerprints_other_count, warnings);
    const auto& versions = extra.model_versions_reported;
    if (std::ranges::any_of(versions,
                            [](const auto& one) { return one.first.starts_with("simulated/"); })) {
        warnings.push_back(
            "Answers come from a simulated provider; they say nothing about a model.");
    }
}

void note_results(const Report& report, std::vector<std::string>& notes) {
    const job::Summary& summary = report.summary;
    if (report.metadata.judged_answers == job::JudgedAnswer::original)
        notes.push_back("The judge saw answers as the model gave them; they are stored redacted.");
    const auto& bounds = summary.extra.aggregate_score_bounds;
    if (const auto& saved = summary.extra.saved_calls) {
        const std::uint64_t made = summary.all.rubric.total_count;
        notes.push_back(
            fmt::format("The verdict of the gates was certain after {} of {}; {} not made.",
                        show_count(made), plural(made + summary.extra.missing_count, "trial"),
                        plural(*saved, "call") + (*saved == 1 ? " was" : " were")));
    }
    const std::uint64_t unanswered =
        summary.all.rubric.total_count - summary.outcomes.answered_count;
    if (const std::uint64_t unknown = unanswered + summary.extra.unscored_count; unknown > 0) {
        notes.push_back(fmt::format(
            "{} no answer or no score; from all of them failed to all of them perfect, the "
            "aggregate score would go from {} (measured: {}).",
            plural(unknown, "trial") + (unknown == 1 ? " has" : " have"), show(bounds, Unit::score),
            job::to_string(summary.extra.measured)));
    }
    const std::string slices = slices_sentence(summary.extra.slice_tests);
    if (!slices.empty()) notes.push_back(slices);
    notes.push_back(power_sentence(summary.extra.power));
    if (!summary.repeatability.established) {
        notes.push_back("Repeatability is not established: that takes at least three repeats.");
    }
    if (report.findings.retried() > 0) {
        notes.push_back(
            fmt::format("{} needed more than one attempt; the waits are in the latency.",
                        plural(report.findings.retried(), "call")));
    }
}

/// "Throttled by main: 12 of the model's attempts got 429 and were made again."
void note_attempts(const std::string& provider, std::string_view whose,
                   const std::map<std::string, std::uint64_t>& failed,
                   std::vector<std::string>& notes) {
    for (const auto& [kind, count] : failed) {
        const bool is_throttled = kind == job::to_string(job::CallError::http_429);
        notes.push_back(fmt::format("{} {}: {} of the {}'s calls failed and {} made again ({}).",
                                    is_throttled ? "Throttled by" : "Failures of", provider,
                                    plural(count, "attempt"), whose, count == 1 ? "was" : "were",
                                    kind));
    }
}

void note_learnt_limits(const RunMetadata& run, std::vector<std::string>& notes) {
    for (const auto& [account, limit] : run.learnt_limits) {
        if (limit.calls_per_s)
            notes.push_back(
                fmt::format("Limit learnt of {}: {:.3g} calls/s.", account, *limit.calls_per_s));
        else if (limit.calls_at_once)
            notes.push_back(fmt::format("Limit learnt of {}: {:.0f} calls at once.", account,
                                        *limit.calls_at_once));
    }
}

/// What became of the judge's replies.
void note_judge(const Findings& findings, std::vector<std::string>& notes) {
    for (const auto& [fault, count] : findings.rejected_replies()) {
        notes.push_back(fmt::format("{} of the judge rejected: {}.",
                                    count == 1 ? "1 reply" : fmt::format("{} replies", count),
                                    fault));
    }
    if (findings.cut_off_verdicts() > 0) {
        notes.push_back(fmt::format(
            "The judge's reply was cut off at max_tokens in {}; raise judge.generation.max_tokens.",
            plural(findings.cut_off_verdicts(), "trial")));
    }
    for (const auto& [parameter, count] : findings.judge_refusals()) {
        notes.push_back(fmt::format("The judge was asked without {} in {}: it does not take it.",
                                    parameter, plural(count, "trial")));
    }
}

/// How the providers held the run up.
void note_flow(const Report& report, std::vector<std::string>& notes) {
    constexpr double kWorthTellingMs = 1'000;
    const Findings& findings = report.findings;
    const RunMetadata& run = report.metadata;
    note_attempts(run.model.provider, "model", findings.failed_attempts(), notes);
    if (run.evaluator_model) {
        note_attempts(run.evaluator_model->provider, "judge", findings.failed_judge_attempts(),
                      notes);
    }
    note_judge(findings, notes);
    note_learnt_limits(run, notes);
    for (const auto& [kind, count] : findings.setbacks()) {
        notes.push_back(fmt::format("{} put back and tried again later: {}.",
                                    plural(count, "trial") + (count == 1 ? " was" : " were"),
                                    kind));
    }
    if (findings.longest_permit_wait_ms() >= kWorthTellingMs) {
        notes.push_back(
            fmt::format("Calls waited up to {:.0f} s for permits of their provider; that is in no "
                        "latency.",
                        findings.longest_permit_wait_ms() / 1e3));
    }
}

void add_slices(const job::Summary& summary, std::vector<Table>& tables) {
    const job::RunSliceTests& tests = summary.extra.slice_tests;
    if (summary.task_types.size() > 1) {
        tables.push_back(slices_table("By task type", summary.task_types, tests.task_types));
    }
    for (const auto& [key, slices] : summary.tags) {
        const auto of_key = tests.tags.find(key);
        tables.push_back(
            slices_table("By tag: " + key, slices,
                         of_key == tests.tags.end() ? job::SliceTests{} : of_key->second));
    }
}

}  // namespace

bool is_measured(const Report& report) noexcept {
    return report.summary.extra.could_measure == job::Measured::complete;
}

std::string unmeasured_sentence(const Report& report) {
    if (is_measured(report)) return "";
    return fmt::format(
        "{}. Mend that, then try those trials again: evalfleet run --resume DIR, or, of a run at "
        "a coordinator, evalfleet retry {}.",
        job::describe(job::unmeasured_of(report.summary, report.metadata.api_key_id)),
        report.metadata.run_id);
}

namespace {

bool gates_are_ready(const Report& report) noexcept {
    return report.summary.release_ready && is_measured(report) &&
           !report.summary.extra.is_incomplete();
}

}  // namespace

bool is_ready(const Report& report) noexcept {
    return gates_are_ready(report) && (!report.baseline || report.baseline->passed);
}

bool is_undecided(const Report& report) noexcept {
    return gates_are_ready(report) && report.baseline && !report.baseline->is_known;
}

Outline make_outline(const Report& report) {
    Outline outline;
    outline.title = report.metadata.name.value_or(report.metadata.run_id);
    outline.gates = make_gates(report.summary);
    outline.is_ready = is_ready(report);
    outline.is_measured = is_measured(report);
    outline.headline = headline(report);
    outline.sentence = verdict_sentence(outline.gates, report);
    outline.facts = make_facts(report);
    outline.tables = {scores_table(report.summary),   latency_table(report.summary),
                      tokens_table(report),           failures_table(report.summary),
                      outcomes_table(report.summary), answered_table(report.summary)};
    add_slices(report.summary, outline.tables);
    if (report.summary.repeatability.per_repeat.size() > 1) {
        outline.tables.push_back(repeats_table(report.summary));
    }
    outline.tables.push_back(sources_table(report.summary));
    if (!report.summary.extra.redactions.empty())
        outline.tables.push_back(redactions_table(report.summary));
    warn(report, outline.warnings);
    note_results(report, outline.notes);
    note_flow(report, outline.notes);
    return outline;
}

}  // namespace evalfleet::report
