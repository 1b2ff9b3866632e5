#include "cli/submission.hpp"

#include "common/config/yaml.hpp"
#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/redaction/redactor.hpp"
#include "common/runfile/dataset.hpp"
#include "common/runfile/prompt_check.hpp"
#include "common/runfile/run_bounds.hpp"
#include "common/runfile/run_file.hpp"
#include "common/runfile/settled_dataset.hpp"
#include "common/runfile/yaml_place.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace evalfleet::cli {

namespace {

constexpr std::size_t kMaxIdBytes = 64;

bool is_id_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

/// A profile that the run file does not name is left to the coordinator, who knows the dataset.
std::string json_of(const runfile::RunFile& file) {
    constexpr std::string_view kDefault = R"("profile":"rubric-v1",)";
    std::string text;
    json::Writer writer(text);
    job::write(writer, file.spec);
    if (!file.spec.judge || file.names_profile) return text;
    const std::size_t judge = text.find(R"("judge":{)");
    const std::size_t profile = text.find(kDefault, judge);
    if (profile != std::string::npos) text.erase(profile, kDefault.size());
    return text;
}

Result<SubmissionPlan> blocking_plan_as_it_is(CheckedRun& run, const RunNotes& notes) {
    SubmissionPlan plan;
    plan.warnings = std::move(run.file.warnings);
    if (notes.empty()) {
        auto text = files::blocking_read_file(run.file.path, runfile::kMaxRunFileBytes);
        if (!text) return text.error();
        plan.body = std::move(*text);
        plan.is_json = run.file.path.extension() == ".json";
        return plan;
    }
    if (const Status entered = notes.enter(run.file.spec); !entered) return entered.error();
    plan.body = json_of(run.file);
    return plan;
}

/// A folder of this user alone, which goes away with the last who knows it.
Result<std::shared_ptr<const std::filesystem::path>> blocking_make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "evalfleet-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        return files::last_system_error("cannot make a folder", name);
    return std::shared_ptr<const std::filesystem::path>(
        new std::filesystem::path(name), [](const std::filesystem::path* folder) {
            std::error_code ignored;
            std::filesystem::remove_all(*folder, ignored);
            delete folder;
        });
}

/// The coordinator does not see the pictures' files: they go with the samples.
Status blocking_embed(const runfile::Dataset& dataset, UploadPlan& plan) {
    auto folder = blocking_make_folder();
    if (!folder) return folder.error();
    plan.own_folder = std::move(*folder);
    plan.file = *plan.own_folder / dataset.path().filename();
    const auto settled = runfile::blocking_settle(dataset, std::nullopt, plan.file);
    if (!settled) return settled.error();
    const auto embedded = runfile::Dataset::blocking_open(plan.file);
    if (!embedded) return embedded.error();
    plan.sha256 = embedded->sha256();
    return {};
}

Result<UploadPlan> blocking_plan_upload(const job::DatasetRef& named,
                                        const runfile::Dataset& dataset) {
    UploadPlan plan{named.path,
                    {},
                    named.id.value_or(dataset_id_of(named.path)),
                    named.version,
                    dataset.sha256(),
                    dataset.size()};
    if (dataset.content().image_files == 0) return plan;
    if (const Status embedded = blocking_embed(dataset, plan); !embedded) return embedded.error();
    return plan;
}

/// Where a field stands. What was handed in has lists where a file may have a single one.
std::optional<config::YamlNode> find_place(const config::YamlNode& root, std::string field) {
    for (const bool is_single : {false, true}) {
        const auto list = field.find("s[0].");
        if (is_single && list == std::string::npos) return std::nullopt;
        if (is_single) field.replace(list, 5, ".");
        auto place = runfile::place_message(root, field + ": ");
        if (!place.node.path().empty()) return std::move(place.node);
    }
    return std::nullopt;
}

/// In the run file, as a fault that was found here.
runfile::Fault placed(const http::FieldFault& fault, const std::string& run_file,
                      const config::YamlNode& root) {
    if (const auto place = find_place(root, fault.field))
        return runfile::fault_at(run_file, *place, fault.message);
    return {run_file, fault.line, 0, fault.field, fault.message};
}

bool is_about_files(std::string_view field) {
    return field.starts_with("dataset") || field.starts_with("labels");
}

bool is_known(const http::FieldFault& fault, const runfile::FaultList& faults) {
    return std::ranges::any_of(faults.kept(), [&](const runfile::Fault& known) {
        return known.field == fault.field && known.message == fault.message;
    });
}

}  // namespace

std::string dataset_id_of(const std::filesystem::path& file) {
    // Redacted while it is legible: with '-' for '@' nothing would find an address any more.
    const std::string name = redaction::Redactor().redact_name(file.stem().string()).text;
    std::string id;
    for (const char c : name) {
        if (c != '[' && c != ']') id += is_id_character(c) ? c : '-';
    }
    id.resize(std::min(id.size(), kMaxIdBytes));
    const auto begin = id.find_first_not_of('.');
    return begin == std::string::npos ? "dataset" : id.substr(begin);
}

CheckedSubmission blocking_check_submission(const std::string& run_file, bool no_upload) {
    if (!no_upload) {
        return blocking_check_run(run_file, {.providers = runfile::ProvidersFrom::operator_file,
                                             .needs_keys = false,
                                             .is_uploaded = true});
    }
    runfile::FaultList faults;
    auto text = files::blocking_read_file(run_file, runfile::kMaxRunFileBytes);
    if (!text) {
        faults.add({run_file, 0, 0, "", text.error().message});
        return faults;
    }
    const bool is_json = run_file.ends_with(".json");
    auto file = runfile::read_run_text({.text = *text, .name = run_file, .is_json = is_json});
    if (!file) return file.error();
    CheckedRun run;
    run.file = std::move(*file);
    return run;
}

Result<SubmissionPlan> blocking_plan_submission(CheckedRun run, bool no_upload,
                                                const RunNotes& notes) {
    if (no_upload) return blocking_plan_as_it_is(run, notes);
    SubmissionPlan plan;
    job::RunSpec& spec = run.file.spec;
    if (const Status entered = notes.enter(spec); !entered) return entered.error();
    if (run.dataset) {
        for (std::string& warning : runfile::chat_warnings(run.file, *run.dataset))
            run.file.warnings.push_back(std::move(warning));
        auto upload = blocking_plan_upload(spec.dataset, *run.dataset);
        if (!upload) return upload.error();
        spec.dataset = {"", upload->id, upload->version, upload->sha256,
                        spec.dataset.last_assistant};
        plan.upload = std::move(*upload);
    }
    plan.warnings = std::move(run.file.warnings);
    spec.providers = "{}";
    plan.body = json_of(run.file);
    return plan;
}

void blocking_add_refusals(const std::vector<http::FieldFault>& found, const std::string& run_file,
                           bool no_upload, runfile::FaultList& faults) {
    const auto root = config::read_yaml_file(run_file);
    if (!root) return;
    for (const http::FieldFault& fault : found) {
        if (is_known(fault, faults) || (!no_upload && is_about_files(fault.field))) continue;
        faults.add(placed(fault, run_file, *root));
    }
}

std::vector<http::FieldFault> baseline_faults(const job::RunSpec& spec, std::string_view answer) {
    const auto document = json::Document::parse(answer);
    if (!spec.baseline || !document || !document->root().is_object()) return {};
    const auto known = document->root().optional<json::Array>("baselines");
    if (!known || !*known) return {};
    for (const json::Value baseline : **known) {
        const auto name = baseline.get<std::string>("name");
        if (name && *name == spec.baseline) return {};
    }
    return {{"baseline", 0, "there is none called '" + *spec.baseline + "'"}};
}

Result<bool> has_dataset(std::string_view answer, const UploadPlan& plan) {
    const auto document = json::Document::parse(answer);
    if (!document) return document.error();
    const auto versions = document->root().get<json::Array>("versions");
    if (!versions) return versions.error();
    bool is_there = false;
    for (const json::Value entry : *versions) {
        const auto hash = entry.get<std::string>("hash");
        const auto version = entry.optional<std::string>("version");
        if (!hash) return hash.error();
        if (!version) return version.error();
        const bool is_same = *hash == plan.sha256;
        const bool is_version = plan.version && *version == plan.version;
        if (is_version && !is_same) {
            return Error{ErrorKind::invalid,
                         plan.file.string() +
                             ": the coordinator has other content under version \"" +
                             *plan.version + "\" of the data set \"" + plan.id +
                             "\"; versions do not change: give it another one"};
        }
        is_there = is_there || (is_same && (is_version || !plan.version));
    }
    return is_there;
}

Error blocking_place_refusal(const remote::Refusal& refusal, const std::string& run_file) {
    const auto root = config::read_yaml_file(run_file);
    if (refusal.faults.empty() || !root) return remote::to_error(refusal, "submitter");
    runfile::FaultList faults;
    for (const http::FieldFault& fault : refusal.faults)
        faults.add(placed({fault.field, 0, fault.message}, run_file, *root));
    return remote::to_error({refusal.status, faults.text(), {}, refusal.retry_after}, "submitter");
}

}  // namespace evalfleet::cli
