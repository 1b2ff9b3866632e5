#include "coordinator/runs/submission.hpp"

#include "common/disclosure/metadata.hpp"
#include "common/job/manifest.hpp"
#include "common/providers/credential_files.hpp"
#include "common/providers/model_names.hpp"
#include "common/providers/price_table.hpp"
#include "common/providers/request_members.hpp"
#include "common/scoring/cost.hpp"
#include "common/scoring/evaluator_templates.hpp"

#include <algorithm>

namespace evalfleet::runs {

namespace {

job::PromptTemplateInfo info_of(const job::PromptSpec& prompt) {
    const std::string hashed = prompt.system.value_or("") + '\0' + prompt.text;
    return {prompt.id, prompt.version, prompt.system, prompt.text, job::sha256_hex(hashed)};
}

}  // namespace

namespace {

/// With what the operator adds to every request of the provider.
job::SentParams sent_params(const job::GenerationParams& generation, const std::string& provider,
                            const providers::Providers& known) {
    job::SentParams sent = job::SentParams::of(generation);
    const auto found = known.find(provider);
    if (found == known.end()) return sent;
    const providers::ProviderConfig& config = found->second;
    for (const providers::ExtraHeader& header : config.headers)
        sent.headers[header.name] = header.is_secret() || providers::names_a_secret(header.name)
                                        ? "(secret)"
                                        : header.value;
    if (!config.extra_body) return sent;
    auto merged = providers::merge_objects(*config.extra_body,
                                           generation.extra ? generation.extra->text : "{}");
    if (merged) sent.extra = job::JsonObject{*std::move(merged)};
    return sent;
}

}  // namespace

void describe_prices(job::RunMetadata& metadata, const job::RunSpec& spec,
                     const providers::Providers& known) {
    std::string tables = providers::describe_price_tables(providers::models_called(spec), known);
    metadata.price_table.reset();
    if (!tables.empty()) metadata.price_table = std::move(tables);
}

void describe_evaluator(job::RunMetadata& metadata, const job::RunSpec& spec,
                        const providers::Providers& known) {
    if (spec.labels) metadata.evaluator_version = spec.labels->version;
    if (!spec.judge) return;
    metadata.evaluator_model = spec.judge->model;
    metadata.evaluator_model->version = providers::pinned_version(known, spec.judge->model);
    metadata.evaluator_version = metadata.evaluator_model->id();
    metadata.evaluator_profile = spec.judge->profile;
    metadata.evaluator_prompt_template_hash =
        job::sha256_hex(scoring::evaluator_template(spec.judge->profile).text());
    metadata.rationale_limit = spec.judge->rationale_limit;
    metadata.evaluator_response_format = spec.judge->response_format;
    metadata.evaluator_generation_params_requested = spec.judge->generation;
    metadata.evaluator_generation_params =
        sent_params(job::generation_of_judge(*spec.judge), spec.judge->model.provider, known);
}

namespace {

/// The operator's label for a key; nothing is ever made from the key.
std::string label_of_key(const providers::ProviderConfig& provider) {
    if (provider.api_key_id) return *provider.api_key_id;
    const bool has_key = provider.api_key_env || provider.api_key_file || provider.auth;
    return has_key ? "unlabelled" : "none";
}

void describe_model(job::RunMetadata& metadata, const job::ModelRef& model,
                    const providers::Providers& known) {
    metadata.model = model;
    metadata.model.version = providers::pinned_version(known, model);
    metadata.pinned = !providers::floating_reason(known, model);
    const auto provider = known.find(model.provider);
    if (provider == known.end()) return;
    metadata.api_key_id = label_of_key(provider->second);
    const providers::ProviderConfig& config = provider->second;
    if (scoring::find_prices(config.prices, config.model_prices, model.name, model.version))
        metadata.cache_savings_method = scoring::kCacheSavingsMethod;
}

job::RunMetadata make_metadata(const job::RunSpec& spec, const runfile::Dataset& dataset,
                               const SubmissionFacts& facts) {
    job::RunMetadata metadata;
    metadata.name = spec.name;
    metadata.description = spec.description;
    metadata.run_labels = spec.run_labels;
    metadata.timestamp_utc = facts.timestamp_utc;
    const std::string name =
        facts.dataset_name.empty() ? dataset.path().filename().string() : facts.dataset_name;
    metadata.dataset_id = spec.dataset.id.value_or(name);
    metadata.dataset_version = spec.dataset.version;
    metadata.dataset_hash = dataset.sha256();
    metadata.dataset_source_hash = facts.dataset_source_hash;
    metadata.last_assistant = spec.dataset.last_assistant;
    metadata.sample_count = static_cast<std::int64_t>(dataset.size());
    metadata.repeats = spec.repeats;
    describe_model(metadata, spec.models.front(), facts.providers);
    describe_evaluator(metadata, spec, facts.providers);
    describe_prices(metadata, spec, facts.providers);
    metadata.evaluator_labels_hash = facts.labels_hash;
    metadata.prompt_template = info_of(spec.prompts.front());
    metadata.generation_params =
        sent_params(spec.generation, spec.models.front().provider, facts.providers);
    metadata.generation_params_requested = spec.generation;
    metadata.code_version = facts.code_version;
    metadata.environment = facts.environment;
    metadata.policy = spec.policy;
    metadata.baseline = spec.baseline;
    metadata.baseline_run_id = facts.baseline_run_id;
    metadata.baseline_margin = spec.baseline_margin;
    metadata.redaction_pii = spec.redaction.pii;
    return metadata;
}

}  // namespace

std::string slug(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        const bool is_plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
        if (is_plain)
            text.push_back(lower);
        else if (!text.empty() && text.back() != '-')
            text.push_back('-');
        if (text.size() == 24) break;
    }
    while (!text.empty() && text.back() == '-')
        text.pop_back();
    return text.empty() ? "run" : text;
}

std::vector<PlannedRun> plan_runs(const job::RunSpec& spec, const runfile::Dataset& dataset,
                                  const SubmissionFacts& facts) {
    std::vector<PlannedRun> runs;
    const bool is_group = spec.models.size() * spec.prompts.size() > 1;
    const redaction::Redactor redactor({}, {.pii = spec.redaction.pii});
    const std::string name = redactor.redact(spec.name).text;
    const std::string base = facts.stamp + "-" + slug(name);
    // Without what only one of them has: copying all prompts for each would take long.
    job::RunSpec common = spec;
    common.name = name;
    common.models.clear();
    common.prompts.clear();
    common.providers = "{}";
    for (const job::ModelRef& model : spec.models) {
        for (const job::PromptSpec& prompt : spec.prompts) {
            PlannedRun run;
            run.spec = common;
            run.spec.models = {model};
            run.spec.prompts = {prompt};
            run.run_id = is_group ? base + "-" + std::to_string(runs.size() + 1) : base;
            run.metadata = make_metadata(run.spec, dataset, facts);
            // Notes for people: redacted in the metadata, and needed nowhere else.
            run.spec.description.reset();
            run.spec.run_labels.clear();
            run.metadata.run_id = run.run_id;
            if (is_group) run.metadata.group_id = base;
            disclosure::redact(redactor, run.metadata);
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

}  // namespace evalfleet::runs
