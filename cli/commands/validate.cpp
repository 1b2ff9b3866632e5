#include "cli/commands/local.hpp"
#include "cli/output.hpp"
#include "cli/report_error.hpp"
#include "cli/run_preview.hpp"
#include "common/json/writer.hpp"
#include "common/providers/model_names.hpp"
#include "common/providers/provider_config.hpp"
#include "common/providers/request_members.hpp"
#include "common/runfile/dataset.hpp"
#include "common/runfile/labels_file.hpp"
#include "common/runfile/prompt_check.hpp"
#include "common/runfile/run_bounds.hpp"
#include "common/runfile/run_file.hpp"

#include <algorithm>
#include <set>

namespace evalfleet::cli {

namespace {

using runfile::Fault;
using runfile::FaultList;

/// A budget of money needs the prices of whoever is called.
void check_prices(const runfile::RunFile& file, const providers::Providers& known,
                  FaultList& faults) {
    if (file.spec.limits.max_cost_usd == 0) return;
    for (const std::string& name : runfile::providers_without_prices(file.spec, known)) {
        if (!known.contains(name)) continue;
        faults.add({file.path.string(), 0, 0, "limits.max_cost_usd",
                    "found a limit of cost, but the provider \"" + name + "\" has no prices"});
    }
}

/// Every provider that a run names is one of the operator's.
void check_providers(const runfile::RunFile& file, const std::string& operators,
                     FaultList& faults) {
    const auto known = providers::blocking_read_providers_file(operators);
    if (!known) {
        faults.add({operators, 0, 0, "", known.error().message});
        return;
    }
    const auto check = [&](const std::string& field, const std::string& name) {
        if (known->contains(name)) return;
        faults.add({file.path.string(), 0, 0, field,
                    "found \"" + name + "\", which is not in " + operators});
    };
    for (const job::ModelRef& model : file.spec.models) {
        check("model.provider", model.provider);
        if (!known->contains(model.provider) || file.spec.allow_floating_model) continue;
        if (const auto reason = providers::floating_reason(*known, model)) {
            faults.add(
                {file.path.string(), 0, 0, "model.version",
                 "the model is not pinned: " + *reason + "; or set allow_floating_model: true"});
        }
    }
    if (file.spec.judge) check("judge.provider", file.spec.judge->model.provider);
    const auto check_extra = [&](const std::string& field, const job::ModelRef& model,
                                 const job::GenerationParams& generation) {
        const auto provider = known->find(model.provider);
        if (provider == known->end()) return;
        const auto fault = providers::extra_fault(provider->second.type,
                                                  provider->second.extra_body, generation.extra);
        if (fault) faults.add({file.path.string(), 0, 0, field, *fault});
    };
    for (const job::ModelRef& model : file.spec.models)
        check_extra("generation.extra", model, file.spec.generation);
    if (file.spec.judge)
        check_extra("judge.generation.extra", file.spec.judge->model, file.spec.judge->generation);
    check_prices(file, *known, faults);
}

std::string faults_json(const FaultList& faults) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object().member("valid", false).key("errors").begin_array();
    for (const Fault& fault : faults.kept()) {
        writer.begin_object().member("file", fault.file).member("line", fault.line);
        writer.member("column", fault.column).member("field", fault.field);
        writer.member("message", fault.message).end_object();
    }
    writer.end_array().member("error_count", faults.total()).end_object();
    return out + '\n';
}

Result<ExitCode> refuse(const FaultList& faults, const ValidateOptions& options) {
    if (options.json) {
        if (Status printed = print(faults_json(faults)); !printed) return printed.error();
    } else {
        report_error(faults.status().error());
    }
    return ExitCode::wrong_input;
}

}  // namespace

Result<ExitCode> run_validate(const ValidateOptions& options) {
    auto file = runfile::blocking_read_run_file(options.run_file, runfile::ProvidersFrom::either);
    if (!file) return refuse(file.error(), options);
    FaultList faults;
    if (options.providers) {
        check_providers(*file, *options.providers, faults);
        // Whether models are pinned was looked up.
        std::erase_if(file->warnings, [&](const std::string& warning) {
            const auto& void_ones = file->version_warnings;
            return std::find(void_ones.begin(), void_ones.end(), warning) != void_ones.end();
        });
    }
    const auto dataset = runfile::Dataset::blocking_validate(file->spec.dataset.path);
    faults.add(dataset ? runfile::check_prompts(*file, *dataset) : dataset.error());
    if (dataset && options.providers) {
        const auto known = providers::blocking_read_providers_file(*options.providers);
        if (known) faults.add(runfile::check_chats(*file, *dataset, *known));
    }
    if (dataset) faults.add(runfile::check_trials(*file, dataset->size(), options.max_trials));
    std::optional<runfile::LabelCoverage> coverage;
    if (file->spec.labels && dataset) {
        const auto checked =
            runfile::blocking_check_labels(file->spec.labels->path, *dataset, file->spec.repeats);
        if (checked) coverage = *checked;
        if (!checked) faults.add(checked.error());
    }
    if (!faults.empty()) return refuse(faults, options);
    const RunPreview preview = make_preview(*file, *dataset, coverage);
    const std::string text = options.json ? to_json(preview) : to_text(preview);
    if (Status printed = print(text); !printed) return printed.error();
    return ExitCode::done;
}

}  // namespace evalfleet::cli
