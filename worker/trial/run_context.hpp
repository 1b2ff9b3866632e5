#pragma once

#include "common/job/run_spec.hpp"
#include "common/redaction/redactor.hpp"
#include "common/result/result.hpp"
#include "common/scoring/prompt_template.hpp"
#include "worker/providers/provider_set.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::worker {

/// The two ways in which a worker redacts. Both know every key, new ones too.
struct Redactors {
    explicit Redactors(const std::shared_ptr<const redaction::Secrets>& secrets)
        : everything(redaction::Redactor::sharing(secrets, {.pii = true})),
          secrets_only(redaction::Redactor::sharing(secrets, {.pii = false})) {}

    redaction::Redactor everything;
    redaction::Redactor secrets_only;
};

/// A run as a worker needs it for its trials: the spec, read and compiled once. Immutable and
/// shared by all trials of the run.
struct RunContext {
    /// `spec_json`: what the coordinator left in Redis. `invalid` if it is not a run of one model
    /// and one prompt, or names a provider that this worker has not.
    [[nodiscard]] static Result<RunContext> create(std::string run_id, std::string_view spec_json,
                                                   const ProviderSet& providers,
                                                   const Redactors& redactors);

    std::string run_id;
    job::RunSpec spec;
    scoring::PromptTemplate prompt;
    std::optional<scoring::PromptTemplate> system;
    const Provider* provider;                                ///< of the model; never null
    const Provider* judge_provider;                          ///< null if people gave the scores
    redaction::Redactor redactor;                            ///< as the run wants it
    std::shared_ptr<const sealing::SealingKey> originals{};  ///< null: they are not kept
    /// The operator's keys, which no other provider gets to see.
    std::shared_ptr<const redaction::Secrets> own_secrets = std::make_shared<redaction::Secrets>();
};

}  // namespace evalfleet::worker
