#include "worker/trial/run_context.hpp"

#include "common/providers/model_names.hpp"
#include "common/providers/request_members.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::worker {

namespace {

Status check_shape(const job::RunSpec& spec) {
    if (spec.models.size() != 1 || spec.prompts.size() != 1) {
        return Error{ErrorKind::invalid, "a run has one model and one prompt"};
    }
    return {};
}

/// What a coordinator without the operator's providers cannot know; with other ones than this
/// worker's it may have decided otherwise.
Status check_pinned(const job::RunSpec& spec, const Provider& provider) {
    if (spec.allow_floating_model) return {};
    const auto reason = providers::floating_reason(provider.type, spec.models.front());
    if (!reason) return {};
    return Error{
        ErrorKind::invalid,
        fmt::format("the model is not pinned: {}; set allow_floating_model: true to run it "
                    "all the same",
                    *reason)};
}

/// What only the provider's type tells.
Status check_prefill(const job::RunSpec& spec, const Provider& provider) {
    if (spec.dataset.last_assistant != job::LastAssistant::prefill) return {};
    const auto fault =
        providers::prefill_fault(provider.type, provider.extra_body, spec.generation.extra);
    if (!fault) return {};
    return Error{ErrorKind::invalid, "dataset.last_assistant: " + *fault};
}

/// Judging what models said takes the key that it was sealed with.
Status check_originals(const job::RunSpec& spec, const sealing::SealingKey* key) {
    if (spec.judged_answers != job::JudgedAnswer::original || !spec.originals_key_id) return {};
    if (key == nullptr)
        return Error{
            ErrorKind::invalid,
            fmt::format("the answers are sealed with the key {}, and this worker has none; "
                        "start it with --keep-originals",
                        *spec.originals_key_id)};
    if (key->id() == *spec.originals_key_id) return {};
    return Error{ErrorKind::invalid,
                 fmt::format("the answers are sealed with the key {}, and this worker has {}",
                             *spec.originals_key_id, key->id())};
}

Result<const Provider*> find_provider(const ProviderSet& providers, const std::string& name) {
    const Provider* found = providers.find(name);
    if (found != nullptr) return found;
    return Error{ErrorKind::invalid, fmt::format("this worker has no provider '{}'; it has: {}",
                                                 name, providers.names())};
}

/// What a coordinator without the operator's providers cannot know either.
Status check_extra(const job::GenerationParams& generation, const Provider& provider,
                   std::string_view whose) {
    const auto fault = providers::extra_fault(provider.type, provider.extra_body, generation.extra);
    if (!fault) return {};
    return Error{ErrorKind::invalid, fmt::format("{}generation.extra: {}", whose, fault->message)};
}

}  // namespace

Result<RunContext> RunContext::create(std::string run_id, std::string_view spec_json,
                                      const ProviderSet& providers, const Redactors& redactors) {
    auto spec = job::parse_run_spec(spec_json);
    if (!spec) return spec.error().within("the run's spec");
    if (const Status good = check_shape(*spec); !good) return good.error();
    const auto provider = find_provider(providers, spec->models.front().provider);
    if (!provider) return provider.error();
    if (const Status good = check_pinned(*spec, **provider); !good) return good.error();
    if (const Status good = check_extra(spec->generation, **provider, ""); !good)
        return good.error();
    if (const Status good = check_prefill(*spec, **provider); !good) return good.error();
    const Status can_open = check_originals(*spec, providers.originals().get());
    if (!can_open) return can_open.error();
    const Provider* judge_provider = nullptr;
    if (spec->judge) {
        const auto found = find_provider(providers, spec->judge->model.provider);
        if (!found) return found.error();
        judge_provider = *found;
        const Status good = check_extra(spec->judge->generation, *judge_provider, "judge.");
        if (!good) return good.error();
    }

    const job::PromptSpec& prompt = spec->prompts.front();
    std::optional<scoring::PromptTemplate> system;
    if (prompt.system) system.emplace(*prompt.system);
    scoring::PromptTemplate text(prompt.text);
    const bool pii = spec->redaction.pii;
    return RunContext{std::move(run_id),
                      *std::move(spec),
                      std::move(text),
                      std::move(system),
                      *provider,
                      judge_provider,
                      pii ? redactors.everything : redactors.secrets_only,
                      providers.originals(),
                      providers.secrets()};
}

}  // namespace evalfleet::worker
