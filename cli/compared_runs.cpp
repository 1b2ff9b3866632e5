#include "cli/compared_runs.hpp"

#include "cli/moved_slices.hpp"
#include "cli/record_file.hpp"
#include "common/files/file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/runfile/shown_samples.hpp"
#include "coordinator/reduce/run_files.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

using TrialKey = std::pair<std::int64_t, std::int64_t>;  // sample and repeat
using Answers = std::map<TrialKey, std::optional<std::string>>;

std::string name_of(const reduce::FlippedTrial& trial) {
    return trial.sample_id.empty() ? std::to_string(trial.sample_index) : trial.sample_id;
}

std::vector<reduce::FlippedTrial> shown_flips(const reduce::RunComparison& comparison) {
    std::vector<reduce::FlippedTrial> shown;
    for (const reduce::FlippedTrial& trial : comparison.flipped)
        if (trial.condition == "rubric" && shown.size() < kMostComparedTrials)
            shown.push_back(trial);
    return shown;
}

// Fills in the answers of the trials that are keys.
Status blocking_read_answers(const fs::path& records, Answers& answers) {
    return blocking_for_each_record(records, [&answers](job::TrialRecord record) -> Status {
        const auto found = answers.find({record.sample_index, record.repeat});
        if (found != answers.end()) found->second = std::move(record.answer);
        return {};
    });
}

constexpr std::uint64_t kMaxSummaryBytes = std::uint64_t{64} * 1024 * 1024;

// Without a summary there are no slices; the rest can be shown all the same.
void blocking_read_slices(const fs::path& base, const fs::path& candidate,
                          report::ComparedRuns& runs) {
    const auto before = files::blocking_read_file(base / "summary.json", kMaxSummaryBytes);
    const auto after = files::blocking_read_file(candidate / "summary.json", kMaxSummaryBytes);
    if (!before || !after) return;
    if (auto slices = moved_slices(*before, *after)) runs.slices = std::move(*slices);
}

Status blocking_fetch_slices(remote::Session& session, const std::string& base,
                             const std::string& candidate, report::ComparedRuns& runs) {
    const auto before =
        session.blocking_call({.path = "/runs/" + remote::encode(base) + "/summary"});
    if (!before) return before.error();
    const auto after =
        session.blocking_call({.path = "/runs/" + remote::encode(candidate) + "/summary"});
    if (!after) return after.error();
    auto slices = moved_slices(*before, *after);
    if (!slices) return slices.error();
    runs.slices = std::move(*slices);
    return {};
}

// Answers of the trials of one sample, from the coordinator.
Status blocking_fetch_answers(remote::Session& session, const std::string& run,
                              std::int64_t sample_index, Answers& answers,
                              report::ComparedTrial& text) {
    const auto answer = session.blocking_call(
        {.path = "/runs/" + remote::encode(run) + "/samples/" + std::to_string(sample_index)});
    if (!answer) return answer.error();
    const auto document = json::Document::parse(*answer);
    if (!document) return document.error();
    const auto records = document->root().get<json::Array>("records");
    if (!records) return records.error();
    for (const json::Value value : *records) {
        auto record = job::read_trial_record(value);
        if (!record) return record.error();
        answers[{sample_index, record->repeat}] = std::move(record->answer);
    }
    const auto sample = document->root().find("sample");
    if (!sample || !sample->is_object()) return {};
    const auto question = sample->optional<std::string>("task");
    if (question && *question) text.question = **question;
    const auto reference = sample->optional<std::string>("reference_answer");
    if (reference && *reference) text.reference = **reference;
    return {};
}

report::ComparedTrial compared(const reduce::FlippedTrial& trial, const Answers& base,
                               const Answers& candidate) {
    report::ComparedTrial out;
    out.name = name_of(trial);
    out.repeat = trial.repeat;
    out.now_passes = trial.now_passes;
    const TrialKey key{trial.sample_index, trial.repeat};
    if (const auto found = base.find(key); found != base.end()) out.base = found->second;
    if (const auto found = candidate.find(key); found != candidate.end())
        out.candidate = found->second;
    return out;
}

}  // namespace

Result<report::ComparedRuns> blocking_read_compared_runs(const fs::path& base,
                                                         const fs::path& candidate,
                                                         const reduce::RunComparison& comparison) {
    const auto metadata = reduce::blocking_read_metadata(base);
    if (!metadata) return metadata.error();
    const auto other = reduce::blocking_read_metadata(candidate);
    if (!other) return other.error();
    report::ComparedRuns runs{metadata->run_id, other->run_id};
    const auto flips = shown_flips(comparison);
    Answers before;
    for (const reduce::FlippedTrial& trial : flips)
        before[{trial.sample_index, trial.repeat}] = std::nullopt;
    Answers after = before;
    if (Status read = blocking_read_answers(base / reduce::kRecordsFile, before); !read)
        return read.error();
    if (Status read = blocking_read_answers(candidate / reduce::kRecordsFile, after); !read)
        return read.error();
    blocking_read_slices(base, candidate, runs);
    auto dataset = runfile::ShownDataset::blocking_open(
        base / "work" / "dataset.jsonl", metadata->dataset_hash, metadata->redaction_pii);
    for (const reduce::FlippedTrial& trial : flips) {
        runs.flipped.push_back(compared(trial, before, after));
        const job::Sample* sample = dataset.blocking_sample(trial.sample_index);
        if (sample == nullptr) continue;
        runs.flipped.back().question = sample->task;
        runs.flipped.back().reference = sample->reference_answer.value_or("");
    }
    return runs;
}

Result<report::ComparedRuns> blocking_fetch_compared_runs(remote::Session& session,
                                                          const std::string& base,
                                                          const std::string& candidate,
                                                          const reduce::RunComparison& comparison) {
    report::ComparedRuns runs{base, candidate};
    if (Status fetched = blocking_fetch_slices(session, base, candidate, runs); !fetched)
        return fetched.error();
    Answers before;
    Answers after;
    std::optional<std::int64_t> known;
    report::ComparedTrial text;
    for (const reduce::FlippedTrial& trial : shown_flips(comparison)) {
        if (known != trial.sample_index) {
            known = trial.sample_index;
            text = {};
            for (const auto& [run, answers] : {std::pair{&base, &before}, {&candidate, &after}}) {
                const Status fetched =
                    blocking_fetch_answers(session, *run, trial.sample_index, *answers, text);
                if (!fetched) return fetched.error();
            }
        }
        runs.flipped.push_back(compared(trial, before, after));
        runs.flipped.back().question = text.question;
        runs.flipped.back().reference = text.reference;
    }
    return runs;
}

}  // namespace evalfleet::cli
