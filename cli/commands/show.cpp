#include "cli/catalog_views.hpp"
#include "cli/commands/catalog.hpp"
#include "cli/line_reader.hpp"
#include "cli/output.hpp"
#include "cli/remote/run_name.hpp"
#include "cli/run_place.hpp"
#include "common/config/units.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/runfile/shown_samples.hpp"
#include "coordinator/reduce/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

Error there_is_none(const ShowOptions& options) {
    return {ErrorKind::not_found, fmt::format("run {} has no sample \"{}\" (an id, or an index "
                                              "from 0)",
                                              options.run, options.sample)};
}

bool is_meant(const job::TrialRecord& record, const ShowOptions& options) {
    if (record.sample_id == options.sample) return true;
    const auto index = config::parse_int64(options.sample);
    return index && *index == record.sample_index;
}

/// An id is meant before an index, where both fit.
void keep_best(std::vector<job::TrialRecord>& trials, const ShowOptions& options) {
    const auto has_id = [&](const job::TrialRecord& trial) {
        return trial.sample_id == options.sample;
    };
    if (std::ranges::any_of(trials, has_id))
        std::erase_if(trials, [&](const job::TrialRecord& trial) { return !has_id(trial); });
}

std::string to_json(std::span<const job::TrialRecord> trials) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object().key("records").begin_array();
    for (const job::TrialRecord& trial : trials)
        job::write(writer, trial);
    writer.end_array().end_object();
    return text + '\n';
}

Result<std::vector<job::TrialRecord>> blocking_find_trials(const fs::path& records,
                                                           const ShowOptions& options) {
    auto reader = LineReader::open(records.string());
    if (!reader) return reader.error();
    json::Parser parser;
    std::vector<job::TrialRecord> trials;
    while (true) {
        const auto line = reader->next();
        if (!line) return line.error();
        if (!*line) break;
        const auto value = parser.parse((*line)->text);
        if (!value) return reader->locate(value.error());
        auto record = job::read_trial_record(*value);
        if (!record) return reader->locate(record.error());
        if (is_meant(*record, options)) trials.push_back(std::move(*record));
    }
    keep_best(trials, options);
    return trials;
}

Result<ExitCode> blocking_show_folder(const ShowOptions& options) {
    const fs::path folder = options.run;
    const auto metadata = reduce::blocking_read_metadata(folder);
    if (!metadata) return metadata.error();
    const auto trials = blocking_find_trials(folder / reduce::kRecordsFile, options);
    if (!trials) return trials.error();
    if (trials->empty()) return there_is_none(options);
    const std::int64_t index = trials->front().sample_index;
    const auto samples = runfile::blocking_read_shown_samples(folder / "work" / "dataset.jsonl",
                                                              metadata->dataset_hash, {index},
                                                              metadata->redaction_pii);
    std::optional<ShownSample> sample;
    if (const auto found = samples.find(index); found != samples.end()) {
        sample = ShownSample{found->second.task, found->second.context.value_or(""),
                             found->second.reference_answer.value_or("")};
    }
    const Status printed = print(options.json ? to_json(*trials) : sample_text(sample, *trials));
    if (!printed) return printed.error();
    return ExitCode::done;
}

/// By its id if a sample has it, else the argument is an index.
Result<std::int64_t> blocking_find_index(remote::Session& session, const std::string& run,
                                         const ShowOptions& options) {
    const auto page = session.blocking_call(
        {.path = "/runs/" + remote::encode(run) +
                 "/records?limit=1&sample_id=" + remote::encode(options.sample)});
    if (!page) return page.error();
    const auto document = json::Document::parse(*page);
    if (!document) return document.error();
    const auto records = document->root().get<json::Array>("records");
    if (!records) return records.error();
    for (const json::Value record : *records)
        return record.get<std::int64_t>("sample_index");
    const auto index = config::parse_int64(options.sample);
    if (!index) return there_is_none(options);
    return *index;
}

Result<std::string> describe(const std::string& answer) {
    const auto document = json::Document::parse(answer);
    if (!document) return document.error();
    const auto records = document->root().get<json::Array>("records");
    if (!records) return records.error();
    std::vector<job::TrialRecord> trials;
    for (const json::Value value : *records) {
        auto record = job::read_trial_record(value);
        if (!record) return record.error();
        trials.push_back(std::move(*record));
    }
    std::optional<ShownSample> shown;
    if (const auto sample = document->root().find("sample"); sample && sample->is_object()) {
        const auto text = [&sample](std::string_view name) {
            const auto value = sample->get_or<std::string>(name, "");
            return value ? *value : std::string();
        };
        shown = ShownSample{text("task"), text("context"), text("reference_answer")};
    }
    return sample_text(shown, trials);
}

}  // namespace

Result<ExitCode> run_show(const ShowOptions& options) {
    if (means_folder(options.run)) return blocking_show_folder(options);
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto run = remote::blocking_find_run(*session, options.run);
    if (!run) return run.error();
    const auto index = blocking_find_index(*session, *run, options);
    if (!index) return index.error();
    const auto answer = session->blocking_call(
        {.path = "/runs/" + remote::encode(*run) + "/samples/" + std::to_string(*index)});
    if (!answer) return answer.error();
    const auto text = options.json ? Result<std::string>(*answer + '\n') : describe(*answer);
    if (!text) return text.error();
    if (const Status printed = print(*text); !printed) return printed.error();
    return ExitCode::done;
}

}  // namespace evalfleet::cli
