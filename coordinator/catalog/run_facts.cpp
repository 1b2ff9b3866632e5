#include "coordinator/catalog/run_facts.hpp"

#include "common/files/file.hpp"
#include "common/job/baseline_verdict.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/summary.hpp"
#include "common/json/document.hpp"
#include "common/log/line.hpp"
#include "coordinator/catalog/run_filter.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace evalfleet::catalog {

namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} * 1024 * 1024;
static_assert(std::tuple_size_v<decltype(RunOutcome::gates)> == job::kGates.size());

template <class T>
T find_or(json::Value object, std::string_view name, T fallback) {
    const auto found = object.get_or<T>(name, fallback);
    return found ? *found : fallback;
}

void blocking_add_end(RunOutcome& outcome, const store::RunFolder& folder,
                      const std::string& submitted_at) {
    std::error_code code;
    const auto written = std::filesystem::last_write_time(folder.file("summary.json"), code);
    if (code) return;
    const auto ended = std::chrono::file_clock::to_sys(written);
    outcome.ended_at =
        log::format_utc(std::chrono::time_point_cast<std::chrono::system_clock::duration>(ended));
    const auto begun = parse_time(submitted_at);
    if (begun)
        outcome.elapsed_s = std::max(0.0, std::chrono::duration<double>(ended - *begun).count());
}

std::optional<double> find_number(json::Value object, std::string_view name) {
    const auto found = object.optional<double>(name);
    return found ? *found : std::nullopt;
}

void add_gates(RunOutcome& outcome, json::Value summary) {
    const auto gates = summary.find("gates");
    if (!gates) return;
    for (std::size_t i = 0; i < job::kGates.size(); ++i) {
        const auto gate = gates->find(job::kGates[i].name);
        if (!gate) continue;
        outcome.gates[i] = {find_number(*gate, "observed"), find_number(*gate, "ci95_lower"),
                            find_number(*gate, "ci95_upper"),
                            find_number(*gate, "threshold").value_or(0),
                            find_or(*gate, "passed", false)};
    }
}

// What a gate's interval is not: one of a run that ended early has another one that holds then, and
// the p95 of a few samples has none.
void correct_intervals(RunOutcome& outcome, json::Value extra) {
    constexpr std::size_t kLatency = 3;
    static_assert(job::kGates[kLatency].name == "latency_e2e_p95_ms");
    GateFigure& latency = outcome.gates[kLatency];
    if (!find_or<std::string>(extra, "latency_e2e_p95_ci95_reason", "").empty())
        latency.lower = latency.upper = std::nullopt;
    const auto valid = extra.find("always_valid");
    if (!valid || valid->is_null()) return;
    for (std::size_t i = 0; i < job::kGates.size(); ++i) {
        const std::string name(job::kGates[i].name);
        outcome.gates[i].lower = find_number(*valid, name + "_lower");
        outcome.gates[i].upper = find_number(*valid, name + "_upper");
    }
}

void add_cost(RunOutcome& outcome, json::Value extra) {
    const auto model = find_number(extra, "total_cost_usd");
    const auto judge = find_number(extra, "total_evaluator_cost_usd");
    if (model || judge) outcome.cost_usd = model.value_or(0) + judge.value_or(0);
}

// The comparison with the baseline that the run file names, if it names one.
void blocking_hold_against_baseline(RunOutcome& outcome, const store::RunFolder& folder) {
    const auto text = files::blocking_read_file(folder.file(job::kRegressionName), kMaxFileBytes);
    if (!text) return;
    const auto verdict = job::parse_baseline_verdict(*text);
    if (verdict && verdict->passed) return;
    outcome.is_undecided = outcome.release_ready && !(verdict && verdict->is_known);
    outcome.release_ready = false;
}

}  // namespace

std::filesystem::path submitter_file(const store::RunFolder& folder) {
    return folder.path() / "work" / "submitted_by";
}

runs::RunPhase blocking_read_phase(const store::RunFolder& folder) {
    const auto name = folder.blocking_read_phase();
    if (!name) return runs::RunPhase::failed;
    return runs::parse_run_phase(*name).value_or(runs::RunPhase::failed);
}

Result<RunFacts> blocking_read_facts(const store::RunFolder& folder) {
    const auto text = files::blocking_read_file(folder.file("run.json"), kMaxFileBytes);
    if (!text) return text.error();
    const auto metadata = job::parse_run_metadata(*text);
    if (!metadata) return metadata.error().within(folder.file("run.json").string());
    RunFacts facts;
    facts.run_id = folder.run_id();
    facts.name = metadata->name.value_or("");
    facts.description = metadata->description;
    facts.run_labels = metadata->run_labels;
    facts.group_id = metadata->group_id;
    facts.submitted_at = metadata->timestamp_utc;
    facts.model = metadata->model.id();
    facts.prompt = metadata->prompt_template.id + "@" + metadata->prompt_template.version;
    if (metadata->evaluator_model) facts.judge = metadata->evaluator_model->id();
    facts.dataset_id = metadata->dataset_id;
    facts.dataset_hash = metadata->dataset_hash;
    facts.total = static_cast<std::uint64_t>(metadata->sample_count * metadata->repeats);
    facts.phase = blocking_read_phase(folder);
    if (const auto by = files::blocking_read_file(submitter_file(folder), 256))
        facts.submitted_by = *by;
    const auto note = folder.blocking_read_phase_note();
    facts.note = note ? *note : "";
    facts.model_versions = std::max(metadata->model_versions_reported.size(),
                                    metadata->system_fingerprints_reported.size());
    return facts;
}

std::optional<RunOutcome> blocking_read_outcome(const store::RunFolder& folder,
                                                const std::string& submitted_at) {
    const auto text = files::blocking_read_file(folder.file("summary.json"), kMaxFileBytes);
    if (!text) return std::nullopt;
    const auto document = json::Document::parse(*text);
    if (!document) return std::nullopt;
    const json::Value root = document->root();
    const auto rubric = root.find("rubric");
    const auto extra = root.find("extra");
    if (!rubric || !extra) return std::nullopt;
    RunOutcome outcome;
    outcome.done = find_or<std::uint64_t>(*rubric, "total_count", 0);
    outcome.passed = find_or<std::uint64_t>(*rubric, "pass_count", 0);
    outcome.errors = find_or<std::uint64_t>(*extra, "unscored_count", 0);
    const bool is_incomplete = find_or(*extra, "incomplete", false);
    // A summary of 1.0 has it as `measured`, and one of before there was such a thing counts as
    // measured.
    const auto before = find_or<std::string>(*extra, "measured", "");
    outcome.measured = job::from_name<job::Measured>(find_or(*extra, "could_measure", before))
                           .value_or(job::Measured::complete);
    outcome.release_ready = !is_incomplete && outcome.measured == job::Measured::complete &&
                            find_or(root, "release_ready", false);
    blocking_hold_against_baseline(outcome, folder);
    add_gates(outcome, root);
    correct_intervals(outcome, *extra);
    add_cost(outcome, *extra);
    blocking_add_end(outcome, folder, submitted_at);
    return outcome;
}

}  // namespace evalfleet::catalog
