#include "cli/run_preview.hpp"

#include "common/job/policy_json.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/runfile/prompt_check.hpp"
#include "common/scoring/prompt_template.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace evalfleet::cli {

namespace {

using runfile::Dataset;
using runfile::RunFile;

json::Document policy_document(const job::Policy& policy) {
    std::string text;
    json::Writer writer(text);
    job::write(writer, policy);
    return json::Document::parse(text).value();
}

/// Every figure of the policy that is not the Rubric's.
std::vector<std::string> find_overrides(const job::Policy& policy) {
    const json::Document given = policy_document(policy);
    const json::Document usual = policy_document({});
    std::vector<std::string> overrides;
    for (const auto [part, figures] : *given.root().as_object()) {
        for (const auto [name, figure] : *figures.as_object()) {
            const std::string before = usual.root().find(part)->find(name)->describe();
            if (figure.describe() == before) continue;
            overrides.push_back(
                fmt::format("{}.{}: {} instead of {}", part, name, figure.describe(), before));
        }
    }
    return overrides;
}

bool uses(const RunFile& file, std::string_view field) {
    const auto& prompts = file.spec.prompts;
    return std::any_of(prompts.begin(), prompts.end(), [&](const job::PromptSpec& prompt) {
        return scoring::PromptTemplate(prompt.text).has(field);
    });
}

void add_dataset_warnings(std::vector<std::string>& warnings, const RunFile& file,
                          const Dataset& dataset) {
    const runfile::DatasetContent& content = dataset.content();
    const std::string name = dataset.path().string();
    if (uses(file, "context") && content.with_context == 0) {
        warnings.push_back(
            fmt::format("{}: no sample has a context, but the prompt asks for one", name));
    }
    if (!uses(file, "context") && content.with_context > 0) {
        warnings.push_back(fmt::format("{}: {} samples have a context that no prompt shows", name,
                                       content.with_context));
    }
    if (auto warning = runfile::reference_warning(file, dataset))
        warnings.push_back(*std::move(warning));
    for (std::string& warning : runfile::chat_warnings(file, dataset))
        warnings.push_back(std::move(warning));
    for (const auto& [member, unknown] : content.unknown_members) {
        warnings.push_back(fmt::format("{}:{}: {}: unknown field, skipped (in {} samples)", name,
                                       unknown.first_line, member, unknown.count));
    }
}

void add_label_warnings(std::vector<std::string>& warnings, const runfile::LabelCoverage& coverage,
                        const std::string& path) {
    if (coverage.without_label > 0) {
        warnings.push_back(fmt::format(
            "{}: {} of {} samples lack a label, the first is \"{}\"; their trials stay unscored",
            path, coverage.without_label, coverage.samples, coverage.first_without));
    }
    if (coverage.unused > 0) {
        warnings.push_back(
            fmt::format("{}: {} labels belong to no sample, or to a repeat that is not run", path,
                        coverage.unused));
    }
}

std::string judge_name(const job::RunSpec& spec) {
    if (!spec.judge) return "labels of " + spec.labels->path;
    return fmt::format("{}, {}", spec.judge->model.id(), job::to_string(spec.judge->profile));
}

std::string or_list(const std::vector<std::string>& items) {
    return fmt::format("{}", fmt::join(items, ", "));
}

void write_list(json::Writer& writer, std::string_view name,
                const std::vector<std::string>& items) {
    writer.key(name).begin_array();
    for (const std::string& item : items)
        writer.value(item);
    writer.end_array();
}

}  // namespace

RunPreview make_preview(const RunFile& file, const std::optional<Dataset>& dataset,
                        const std::optional<runfile::LabelCoverage>& coverage) {
    RunPreview preview;
    preview.run_file = file.path.string();
    preview.name = file.spec.name;
    preview.repeats = static_cast<std::uint64_t>(file.spec.repeats);
    for (const job::ModelRef& model : file.spec.models)
        preview.models.push_back(model.id());
    for (const job::PromptSpec& prompt : file.spec.prompts)
        preview.prompts.push_back(prompt.id + " v" + prompt.version);
    preview.judge = judge_name(file.spec);
    preview.runs = preview.models.size() * preview.prompts.size();
    preview.policy_overrides = find_overrides(file.spec.policy);
    preview.warnings = file.warnings;
    preview.dataset_path = file.spec.dataset.id.value_or("");
    if (dataset) {
        preview.dataset_path = dataset->path().string();
        preview.dataset_sha256 = dataset->sha256();
        preview.samples = dataset->size();
        preview.trials = preview.runs * dataset->size() * preview.repeats;
        preview.model_calls = preview.trials;
        preview.judge_calls = file.spec.judge ? *preview.trials : 0;
        add_dataset_warnings(preview.warnings, file, *dataset);
    }
    if (coverage) {
        preview.samples_without_label = coverage->without_label;
        add_label_warnings(preview.warnings, *coverage, file.spec.labels->path);
    }
    return preview;
}

std::string to_text(const RunPreview& preview) {
    std::string out = fmt::format("{}: valid\n", preview.run_file);
    const auto line = [&out](std::string_view name, const std::string& value) {
        out += fmt::format("  {:<8} {}\n", name, value);
    };
    line("run", preview.name);
    line("dataset", preview.samples ? fmt::format("{}, sha256 {}", preview.dataset_path,
                                                  preview.dataset_sha256.value_or(""))
                                    : preview.dataset_path + ", which a coordinator has");
    line("model", or_list(preview.models));
    line("prompt", or_list(preview.prompts));
    line("judge", preview.judge);
    const std::string runs = preview.runs == 1 ? "" : fmt::format("{} runs x ", preview.runs);
    if (preview.samples) {
        line("trials", fmt::format("{}{} samples x {} repeats = {}", runs, *preview.samples,
                                   preview.repeats, *preview.trials));
        line("calls", fmt::format("{} to models, {} to the judge, retries aside",
                                  *preview.model_calls, *preview.judge_calls));
    } else {
        line("trials", fmt::format("{}{} repeats of each sample", runs, preview.repeats));
    }
    line("policy",
         preview.policy_overrides.empty() ? "the Rubric's" : or_list(preview.policy_overrides));
    for (const std::string& warning : preview.warnings)
        out += "warning: " + warning + "\n";
    return out;
}

std::string to_json(const RunPreview& preview) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object().member("valid", true);
    writer.member("run_file", preview.run_file).member("name", preview.name);
    writer.key("dataset").begin_object();
    writer.member("path", preview.dataset_path).member("sha256", preview.dataset_sha256);
    writer.member("samples", preview.samples).end_object();
    write_list(writer, "models", preview.models);
    write_list(writer, "prompts", preview.prompts);
    writer.member("judge", preview.judge).member("repeats", preview.repeats);
    writer.member("runs", preview.runs).member("trials", preview.trials);
    writer.member("model_calls", preview.model_calls).member("judge_calls", preview.judge_calls);
    writer.member("samples_without_label", preview.samples_without_label);
    write_list(writer, "policy_overrides", preview.policy_overrides);
    write_list(writer, "warnings", preview.warnings);
    writer.end_object();
    return out + '\n';
}

}  // namespace evalfleet::cli
