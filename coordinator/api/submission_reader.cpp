#include "coordinator/api/submission_reader.hpp"

#include "common/runfile/dataset.hpp"
#include "common/runfile/labels_file.hpp"
#include "common/runfile/prompt_check.hpp"
#include "common/runfile/run_bounds.hpp"
#include "common/runfile/run_file.hpp"
#include "coordinator/datasets/dataset_root.hpp"
#include "coordinator/runs/operator_providers.hpp"

#include <optional>
#include <utility>

namespace evalfleet::api {

namespace {

using Faults = runfile::FaultList;

void add_fault(Faults& faults, std::string field, std::string message) {
    faults.add({"", 0, 0, std::move(field), std::move(message)});
}

// What is wrong with a file that the run names: its lines are not those of the run file.
void add_faults(Faults& faults, const std::string& field, const Faults& of_file) {
    for (const runfile::Fault& fault : of_file.kept())
        add_fault(faults, field, "line " + std::to_string(fault.line) + ": " + fault.message);
}

// An uploaded data set was checked when it came.
Status blocking_resolve_upload(Services& services, runfile::RunFile& file, Faults& faults) {
    job::DatasetRef& dataset = file.spec.dataset;
    const auto entry = services.datasets.blocking_find(*dataset.id, dataset.version, dataset.hash);
    if (!entry && entry.error().kind == ErrorKind::not_found) {
        add_fault(faults, "dataset.id", entry.error().message);
        return {};
    }
    if (!entry) return entry.error();
    dataset.path = services.datasets.content(entry->hash).string();
    dataset.version = entry->version;
    dataset.hash = entry->hash;
    faults.add(runfile::check_trials(file, entry->samples, services.max_trials));
    return {};
}

// Whether chats may be sent, how they are judged, and whether a prompt need not show the task, only
// the data set tells.
void blocking_check_prompts(runfile::RunFile& file, Faults& faults) {
    const auto lines = runfile::Dataset::blocking_open(file.spec.dataset.path);
    if (!lines) return add_fault(faults, "dataset", lines.error().message);
    if (file.prompts_without_task.empty() && !lines->mentions_chats()) return;
    const auto dataset = runfile::Dataset::blocking_validate(file.spec.dataset.path);
    if (!dataset) return add_faults(faults, "dataset", dataset.error());
    runfile::settle_profile(file, *dataset);
    const Faults found = runfile::check_prompts(file, *dataset);
    for (const runfile::Fault& fault : found.kept()) {
        if (fault.line > 0 && fault.file == file.spec.dataset.path)
            add_fault(faults, "dataset",
                      "line " + std::to_string(fault.line) + ": " + fault.message);
        else
            add_fault(faults, fault.field, fault.message);
    }
}

void blocking_resolve_path(Services& services, runfile::RunFile& file, Faults& faults) {
    job::DatasetRef& dataset = file.spec.dataset;
    const auto path = datasets::blocking_find_under(services.dataset_roots, dataset.path);
    if (!path) {
        add_fault(faults, "dataset.path", path.error().message);
        return;
    }
    const auto checked = runfile::Dataset::blocking_validate(*path);
    if (!checked) return add_faults(faults, "dataset.path", checked.error());
    if (dataset.hash && *dataset.hash != checked->sha256())
        add_fault(faults, "dataset.hash", "the file's sha256 is " + checked->sha256());
    dataset.path = path->string();
    dataset.hash = checked->sha256();
    faults.add(runfile::check_trials(file, checked->size(), services.max_trials));
}

// Read by the same rule as a data set: only where the operator allows.
void blocking_resolve_labels(Services& services, job::LabelsSpec& labels, Faults& faults) {
    const auto path = datasets::blocking_find_under(services.dataset_roots, labels.path);
    if (!path) return add_fault(faults, "labels.path", path.error().message);
    labels.path = path->string();
    const auto checked = runfile::LabelsFile::blocking_read(*path);
    if (!checked) add_faults(faults, "labels.path", checked.error());
}

}  // namespace

Result<std::vector<std::string>> blocking_provider_names(const Services& services) {
    const auto known = runs::blocking_read_operator_providers(services.providers_file);
    if (!known) return known.error();
    std::vector<std::string> names;
    for (const auto& [name, provider] : *known)
        names.push_back(name);
    return names;
}

Result<boost::system::result<job::RunSpec, Faults>> blocking_read_submission(Services& services,
                                                                             std::string_view text,
                                                                             bool is_json) {
    using Outcome = boost::system::result<job::RunSpec, Faults>;
    auto known = runs::blocking_read_operator_providers(services.providers_file);
    if (!known) return known.error();
    auto file =
        runfile::read_run_text({.text = text, .is_json = is_json, .providers = std::move(*known)});
    if (!file) return Outcome(file.error());
    Faults faults;
    job::RunSpec& spec = file->spec;
    if (spec.dataset.path.empty()) {
        const Status found = blocking_resolve_upload(services, *file, faults);
        if (!found) return found.error();
    } else {
        blocking_resolve_path(services, *file, faults);
    }
    if (spec.labels) blocking_resolve_labels(services, *spec.labels, faults);
    if (faults.empty()) blocking_check_prompts(*file, faults);
    if (!faults.empty()) return Outcome(std::move(faults));
    return Outcome(std::move(spec));
}

}  // namespace evalfleet::api
