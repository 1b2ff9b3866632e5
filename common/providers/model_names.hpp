#pragma once

#include "common/job/run_spec.hpp"
#include "common/providers/provider_config.hpp"

#include <compare>
#include <optional>
#include <string>
#include <string_view>

/// What the names of models mean to each type of provider: how a version becomes part of a name,
/// and which names change their meaning over time. The one place that knows.
namespace evalfleet::providers {

/// The name that goes over the wire.
///
/// - openai: a date is appended (2024-08-06, 20240806, 0613): `gpt-4o-2024-08-06`. Any other
/// version
///   (a commit, a build) is the operator's word for what his server serves under the plain name.
/// - anthropic: likewise, a date without dashes: `claude-sonnet-4-5-20250929`.
/// - gemini: three digits are appended: `gemini-2.0-flash-001`; `models/` in front is dropped.
/// - ollama: the version is the tag, unless the name has one or the version is a digest.
/// - vertex-anthropic: a date is appended behind an at sign: `claude-opus-4-5@20251101`.
/// - azure-openai, bedrock, command: the name is a deployment's, an id, the operator's own; nothing
///   is appended. The types not named here are as that of the same maker.
[[nodiscard]] std::string wire_model_name(ProviderType type, std::string_view name,
                                          const std::optional<std::string>& version);

/// Why results got under this name cannot be repeated; nothing if it is pinned. Decides wherever
/// the provider's type is known: `gpt-4o` needs its date, `claude-opus-4-6` does not.
[[nodiscard]] std::optional<std::string> floating_reason(ProviderType type,
                                                         const job::ModelRef& model);

/// The same, by the type of the model's provider; of one that is not among `known` only the version
/// can be asked, as `job::is_floating` does.
[[nodiscard]] std::optional<std::string> floating_reason(const Providers& known,
                                                         const job::ModelRef& model);

/// What pins a model: the version that the run file gives, else the part of the name that does,
/// whatever the provider is: what is behind an `@`, a date and what follows it
/// (`gpt-4o-2024-08-06`, `claude-sonnet-4-20250514`), the tag behind a colon (`llama3.1:8b-q4_0`),
/// three digits at the end (`gemini-2.0-flash-001`). Of a name that its provider does not change
/// although it has none of these, what stands from its first digit on (`claude-opus-4-6`). Nothing
/// for a floating name, and for a deployment of Azure's, whose name says nothing.
[[nodiscard]] std::optional<std::string> pinned_version(const Providers& known,
                                                        const job::ModelRef& model);

/// Only the part of a name that pins it by its form.
[[nodiscard]] std::optional<std::string> pinned_part(std::string_view name);

/// 4.6, 3.5: the generation that stands in a model's name.
struct ModelGeneration {
    int major = 0;
    int minor = 0;
    auto operator<=>(const ModelGeneration&) const = default;
};

/// Of `claude-opus-4-6`, `claude-sonnet-4-5-20250929`, `claude-3-5-haiku-latest`; nothing for other
/// names.
[[nodiscard]] std::optional<ModelGeneration> claude_generation(std::string_view model);

/// Of `gemini-2.5-flash`.
[[nodiscard]] std::optional<ModelGeneration> gemini_generation(std::string_view model);

}  // namespace evalfleet::providers
