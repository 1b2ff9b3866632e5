#include "common/disclosure/metadata.hpp"

#include "common/disclosure/keyed_name.hpp"
#include "common/json/document.hpp"

#include <type_traits>
#include <utility>

namespace evalfleet::disclosure {

namespace {

class MetadataRedactor {
  public:
    explicit MetadataRedactor(const redaction::Redactor& redactor) : redactor_(redactor) {}

    void text(std::string& value) const { value = redactor_.redact(value).text; }
    void text(std::optional<std::string>& value) const {
        if (value) text(*value);
    }
    void name(std::string& value) const { value = redactor_.redact_name(value).text; }
    void name(std::optional<std::string>& value) const {
        if (value) name(*value);
    }
    /// Names that become equal are counted together.
    void names(job::NameCounts& counts) const {
        job::NameCounts redacted;
        for (const auto& [name, count] : counts)
            redacted[redactor_.redact_name(name).text] += count;
        counts = std::move(redacted);
    }
    void names(job::LearntLimits& limits) const {
        job::LearntLimits redacted;
        for (const auto& [name, limit] : limits)
            redacted[redactor_.redact_name(name).text] = limit;
        limits = std::move(redacted);
    }
    void labels(job::RunLabels& labels) const {
        job::RunLabels redacted;
        for (const auto& [key, value] : labels)
            redacted.insert_or_assign(redactor_.redact_name(key).text,
                                      redact_keyed_name(redactor_, key, value).text);
        labels = std::move(redacted);
    }
    void object(std::optional<job::JsonObject>& object) const {
        if (!object) return;
        text(object->text);
        // What was replaced may have been more than a part of a text.
        if (!json::Document::parse(object->text)) object->text = R"({"redacted":true})";
    }
    template <class Params>
    void params(Params& params) const {
        if (params.stop) {
            for (std::string& stop : params.stop->texts)
                text(stop);
        }
        text(params.reasoning_effort);
        object(params.extra);
        if constexpr (std::is_same_v<Params, job::SentParams>) {
            for (auto& [name, value] : params.headers)
                text(value);
        }
    }
    void model(job::ModelRef& model) const {
        name(model.name);
        name(model.version);
    }

  private:
    const redaction::Redactor& redactor_;
};

}  // namespace

void redact(const redaction::Redactor& redactor, job::RunMetadata& metadata) {
    const MetadataRedactor redact(redactor);
    redact.text(metadata.name);
    redact.text(metadata.description);
    redact.labels(metadata.run_labels);
    redact.text(metadata.prompt_template.system);
    redact.text(metadata.prompt_template.text);
    redact.text(metadata.price_table);
    redact.text(metadata.incomplete_reason);
    for (auto& [key, value] : metadata.environment)
        redact.text(value);
    redact.name(metadata.prompt_template.id);
    redact.name(metadata.prompt_template.version);
    redact.name(metadata.dataset_id);
    redact.name(metadata.dataset_version);
    redact.name(metadata.baseline);
    redact.name(metadata.evaluator_version);
    redact.name(metadata.api_key_id);
    redact.model(metadata.model);
    if (metadata.evaluator_model) redact.model(*metadata.evaluator_model);
    redact.params(metadata.generation_params);
    redact.params(metadata.generation_params_requested);
    if (metadata.evaluator_generation_params) redact.params(*metadata.evaluator_generation_params);
    if (metadata.evaluator_generation_params_requested)
        redact.params(*metadata.evaluator_generation_params_requested);
    redact.names(metadata.model_versions_reported);
    redact.names(metadata.system_fingerprints_reported);
    redact.names(metadata.worker_environments);
    redact.names(metadata.learnt_limits);
}

}  // namespace evalfleet::disclosure
