#include "common/scoring/derive.hpp"

#include "cli/commands/offline.hpp"
#include "cli/json_lines.hpp"
#include "cli/text_file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/runfile/labels_file.hpp"

namespace evalfleet::cli {

namespace {

using runfile::LabelsFile;

Result<std::optional<LabelsFile>> read_labels(const std::optional<std::string>& file) {
    if (!file) return std::optional<LabelsFile>();
    auto labels = LabelsFile::blocking_read(*file);
    if (!labels) return labels.error().status().error();
    return std::optional(std::move(*labels));
}

/// A sample without an id is named by its line, as in a data set.
std::string id_of(const job::TrialRecord& record) {
    return record.sample_id.value_or(std::to_string(record.sample_index + 1));
}

void score(job::TrialRecord& record, const LabelsFile& labels) {
    if (!job::is_answered(record)) return;
    scoring::apply(scoring::find_label(labels.of(id_of(record)), record.repeat), record);
}

}  // namespace

Result<ExitCode> run_derive(const DeriveOptions& options) {
    const auto policy = read_policy_file(options.policy);
    if (!policy) return policy.error();
    const auto labels = read_labels(options.labels);
    if (!labels) return labels.error();
    return transform_json_lines(options.trials, options.out,
                                [&](json::Value trial, json::Writer& writer) -> Status {
                                    job::UnknownMembers unknown;
                                    auto record = job::read_trial_record(trial, &unknown);
                                    if (!record) return record.error();
                                    if (*labels) score(*record, **labels);
                                    scoring::derive(*record, *policy);
                                    job::write(writer, *record, unknown);
                                    return {};
                                });
}

}  // namespace evalfleet::cli
